//! A throw-away PostgreSQL server: one for each test process, one database for each test.
//!
//! The server is started at the first use from the binaries of the machine, listens only on loopback, and
//! ends with the process that started it, however that ends. If there are no binaries, [`server`] prints this
//! on standard error and returns `None`, and the test returns early; with `REQUIRE_POSTGRES=1` it panics
//! instead.
//!
//! ```no_run
//! let Some(server) = testkit::postgres::server() else {
//!     return;
//! };
//! let url = server.create_from_template("store", |url| {
//!     // Migrate the database behind `url` here: this runs once, however many tests ask.
//! });
//! ```

mod binaries;
mod cluster;

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

use binaries::Binaries;
use cluster::Cluster;

/// A running server, private to this process.
#[derive(Debug)]
pub struct Server {
    cluster: Mutex<Cluster>,
    port: u16,
    binaries: Binaries,
    databases: AtomicU32,
    templates: Mutex<HashSet<String>>,
}

/// The server of this process, started at the first call; `None` if there are no PostgreSQL binaries.
///
/// # Panics
/// When the server does not start, or, with `REQUIRE_POSTGRES=1`, when there are no binaries.
pub fn server() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    let server = SERVER.get_or_init(|| match Binaries::find() {
        Some(binaries) => Some(Server::start(binaries)),
        None => {
            missing();
            None
        }
    });
    if server.is_none() {
        let test = std::thread::current();
        print_line(&format!("SKIPPED {}", test.name().unwrap_or("a test")));
    }
    server.as_ref()
}

/// A server for one test alone, which may [restart](Server::restart) it; `None` if there are no PostgreSQL
/// binaries, as with [`server`].
///
/// # Panics
/// When the server does not start.
#[must_use]
pub fn server_of_its_own() -> Option<Server> {
    server()?;
    Binaries::find().map(Server::start)
}

impl Server {
    /// Stops the server and starts it again, on the same port and with the same data. All connections are
    /// cut; committed data is kept.
    ///
    /// # Panics
    /// When the server does not start again.
    pub fn restart(&self) {
        let mut cluster = self.cluster.lock().expect("an earlier restart went well");
        cluster.restart();
    }

    /// What the server has logged so far, about all of its databases.
    ///
    /// # Panics
    /// When the log cannot be read.
    #[must_use]
    pub fn log(&self) -> String {
        self.cluster.lock().expect("an earlier restart went well").log()
    }

    /// Creates an empty database with a unique name and returns its URL.
    ///
    /// # Panics
    /// When the server refuses.
    #[must_use]
    pub fn create_database(&self) -> String {
        let name = self.next_name();
        self.run(&[&format!("CREATE DATABASE {name}")]);
        self.url(&name)
    }

    /// Creates a copy of a template database and returns the copy's URL.
    ///
    /// The first call with a name creates the template: `prepare` gets its URL, usually to migrate it, while
    /// other callers wait. `prepare` runs on a thread of its own, so it may block on a runtime of its own
    /// even if the test is asynchronous. A connection that it leaves open is cut.
    ///
    /// # Panics
    /// When `prepare` panics, and then at every later call; or when the server refuses.
    #[must_use]
    pub fn create_from_template(&self, template: &str, prepare: impl FnOnce(&str) + Send) -> String {
        let template = template_name(template);
        let mut made = self
            .templates
            .lock()
            .expect("an earlier test could not prepare the template; its own panic says why");
        if !made.contains(&template) {
            self.make_template(&template, prepare);
            made.insert(template.clone());
        }
        drop(made);
        let name = self.next_name();
        self.run(&[&format!("CREATE DATABASE {name} TEMPLATE {template}")]);
        self.url(&name)
    }

    fn start(binaries: Binaries) -> Self {
        let cluster = Cluster::start(&binaries);
        Self {
            port: cluster.port(),
            cluster: Mutex::new(cluster),
            binaries,
            databases: AtomicU32::new(0),
            templates: Mutex::default(),
        }
    }

    fn make_template(&self, template: &str, prepare: impl FnOnce(&str) + Send) {
        self.run(&[&format!("CREATE DATABASE {template}")]);
        let url = self.url(template);
        std::thread::scope(|scope| {
            let preparing = scope.spawn(|| prepare(&url));
            if let Err(panic) = preparing.join() {
                std::panic::resume_unwind(panic);
            }
        });
        // A database with connections cannot be copied, so none are allowed from here on.
        self.run(&[
            &format!("ALTER DATABASE {template} WITH ALLOW_CONNECTIONS false"),
            &format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{template}'"),
        ]);
    }

    /// The path of one of PostgreSQL's own tools, such as `pg_dump`; `None` if it is not installed.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<PathBuf> {
        self.binaries.tool(name)
    }

    fn next_name(&self) -> String {
        format!("test_{}", self.databases.fetch_add(1, Ordering::SeqCst))
    }

    fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    fn run(&self, statements: &[&str]) {
        self.binaries.query(&self.url("postgres"), statements);
    }
}

/// Prints what is missing, or panics if it is required.
fn missing() {
    let what =
        "no PostgreSQL binaries (initdb, pg_ctl, postgres, psql) on PATH or in /usr/lib/postgresql/*/bin";
    let required = std::env::var("REQUIRE_POSTGRES").is_ok_and(|required| required == "1");
    assert!(!required, "{what}, and REQUIRE_POSTGRES=1 wants them");
    print_line(&format!("SKIPPED: {what}: the tests of the PostgreSQL store are NOT run"));
}

/// Writes to standard error directly, because the test harness hides the output of `eprintln!` when the test
/// passes.
fn print_line(line: &str) {
    // With standard error closed nobody can read it.
    let _unheard = writeln!(std::io::stderr(), "{line}");
}

/// The name of a template database, an identifier that needs no quotes.
fn template_name(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    assert!(plain && !name.is_empty(), "a template is named in a-z, 0-9 and _: {name:?}");
    format!("template_{name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    fn ask(server: &Server, url: &str, sql: &str) -> String {
        server.binaries.query(url, &[sql])
    }

    #[test]
    fn an_empty_database_can_be_made_and_queried() {
        let Some(server) = server() else { return };
        let (one, other) = (server.create_database(), server.create_database());
        assert_ne!(one, other);
        assert_eq!(ask(server, &one, "select 1"), "1");
        ask(server, &one, "create table only_here (x int)");
        let tables = "select count(*) from pg_tables where schemaname = 'public'";
        assert_eq!(ask(server, &one, tables), "1");
        assert_eq!(ask(server, &other, tables), "0");
    }

    #[test]
    fn a_template_is_prepared_once_and_its_copies_are_apart() {
        let Some(server) = server() else { return };
        let prepared = AtomicUsize::new(0);
        let copy = || {
            server.create_from_template("counted", |url| {
                prepared.fetch_add(1, Ordering::SeqCst);
                ask(server, url, "create table rows as select 7 as x");
            })
        };
        let urls: Vec<String> = std::thread::scope(|scope| {
            let copies: Vec<_> = (0..4).map(|_| scope.spawn(copy)).collect();
            copies.into_iter().map(|copy| copy.join().unwrap()).collect()
        });
        assert_eq!(prepared.load(Ordering::SeqCst), 1);
        ask(server, &urls[0], "delete from rows");
        let left: Vec<String> =
            urls.iter().map(|url| ask(server, url, "select count(*) from rows")).collect();
        assert_eq!(left, ["0", "1", "1", "1"]);
    }

    #[test]
    fn a_server_of_its_own_comes_back_with_its_data() {
        let Some(server) = server_of_its_own() else {
            return;
        };
        let url = server.create_database();
        ask(&server, &url, "create table kept as select 7 as x");
        let started = "select pg_postmaster_start_time()";
        let before = ask(&server, &url, started);
        server.restart();
        assert_ne!(ask(&server, &url, started), before);
        assert_eq!(ask(&server, &url, "select x from kept"), "7");
    }

    #[test]
    #[should_panic(expected = "a template is named in a-z")]
    fn a_name_that_would_need_quotes_is_refused() {
        template_name("x; drop");
    }
}
