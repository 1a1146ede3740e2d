//! A throw-away Citus cluster: one for each test process, one database for each test.
//!
//! The cluster is started at the first use, with `REQUIRE_CITUS=1`, from a PostgreSQL that has the extension:
//! the one whose `bin` directory is `CITUS_BIN`, or else one on `PATH` or in `/usr/lib/postgresql`. Without
//! `REQUIRE_CITUS=1` there is no cluster and no message, since such a test needs three servers. The cluster
//! ends with the process that started it, however that ends.

use std::collections::HashSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The script that runs the servers; its first lines describe its use.
pub const SCRIPT: &str = include_str!("../../../tests/citus/cluster.sh");

/// A running cluster, private to this process.
#[derive(Debug)]
pub struct Cluster {
    ports: [String; 3],
    folder: PathBuf,
    pipe: Mutex<Pipe>,
    databases: AtomicU32,
    templates: Mutex<HashSet<String>>,
}

#[derive(Debug)]
struct Pipe {
    supervisor: Child,
    said: BufReader<ChildStdout>,
}

/// A database of the cluster, which is dropped together with this value.
#[derive(Debug)]
pub struct Database {
    cluster: &'static Cluster,
    /// Its name, the same on every server.
    pub name: String,
}

/// The cluster of this process, started at the first call; `None` without `REQUIRE_CITUS=1`.
///
/// # Panics
/// When no PostgreSQL has the extension, or the cluster does not start.
pub fn cluster() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    let required = || std::env::var("REQUIRE_CITUS").is_ok_and(|required| required == "1");
    CLUSTER.get_or_init(|| required().then(Cluster::start)).as_ref()
}

impl Cluster {
    /// Creates a copy of a template database.
    ///
    /// The first call with a name creates the template: `prepare` gets its URL, usually to migrate it, while
    /// other callers wait. It runs on a thread of its own.
    ///
    /// # Panics
    /// When `prepare` panics, or the cluster refuses the copy.
    #[must_use]
    pub fn create_from_template(
        &'static self,
        template: &str,
        prepare: impl FnOnce(&str) + Send,
    ) -> Database {
        let template = format!("template_{template}");
        let mut made = self.templates.lock().expect("an earlier test could not prepare the template");
        if !made.contains(&template) {
            self.tell(&format!("create {template}"));
            let url = self.url(&template);
            std::thread::scope(|scope| {
                let preparing = scope.spawn(|| prepare(&url));
                if let Err(panic) = preparing.join() {
                    std::panic::resume_unwind(panic);
                }
            });
            made.insert(template.clone());
        }
        drop(made);
        let name = self.next_name();
        self.tell(&format!("copy {name} {template}"));
        Database { cluster: self, name }
    }

    /// Creates a database with the extension and the workers, and nothing else.
    ///
    /// # Panics
    /// When the cluster refuses.
    #[must_use]
    pub fn create_database(&'static self) -> Database {
        let name = self.next_name();
        self.tell(&format!("create {name}"));
        Database { cluster: self, name }
    }

    /// What each server has logged so far, the coordinator first.
    ///
    /// # Panics
    /// When a log cannot be read.
    #[must_use]
    pub fn logs(&self) -> [String; 3] {
        self.ports.each_ref().map(|port| {
            let file = self.folder.join(format!("{port}.log"));
            String::from_utf8_lossy(&std::fs::read(file).expect("the log can be read")).into_owned()
        })
    }

    /// Sends a command to the script, such as `down 1`, `up 1`, `sql DATABASE STATEMENT`. Returns its output.
    ///
    /// # Panics
    /// When the command fails.
    pub fn tell(&self, words: &str) -> String {
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        let input = pipe.supervisor.stdin.as_mut().expect("held open");
        writeln!(input, "{words}").expect("the supervisor listens");
        let mut said = String::new();
        loop {
            let mut line = String::new();
            let length = pipe.said.read_line(&mut line).expect("the supervisor writes text");
            match line.trim_end() {
                "done" => return said,
                "failed" => panic!("{words}: {said}"),
                _ => assert!(length > 0, "{words}: the supervisor ended: {said}"),
            }
            said.push_str(&line);
        }
    }

    fn start() -> Self {
        let what = "REQUIRE_CITUS=1 wants a PostgreSQL with the extension citus (tests/citus/README.md)";
        let programs = programs().expect(what);
        let held: [TcpListener; 3] = std::array::from_fn(|_| {
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port")
        });
        let port = |listener: &TcpListener| listener.local_addr().expect("it is bound").port().to_string();
        let ports = held.each_ref().map(port);
        drop(held);
        let mut supervisor = Command::new("sh")
            .args(["-c", SCRIPT, "cluster.sh"])
            .arg(programs)
            .args(&ports)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Its own process group protects it from a Ctrl-C or a kill of the whole group.
            .process_group(0)
            .spawn()
            .expect("sh starts");
        let mut said = BufReader::new(supervisor.stdout.take().expect("standard output is piped"));
        let mut before = String::new();
        let folder = loop {
            let mut line = String::new();
            let length = said.read_line(&mut line).expect("the supervisor writes text");
            if let Some(folder) = line.strip_prefix("ready ") {
                break PathBuf::from(folder.trim_end());
            }
            assert!(length > 0, "the cluster did not start:\n{before}");
            before.push_str(&line);
        };
        Self {
            ports,
            folder,
            pipe: Mutex::new(Pipe { supervisor, said }),
            databases: AtomicU32::new(0),
            templates: Mutex::default(),
        }
    }

    fn next_name(&self) -> String {
        format!("test_{}", self.databases.fetch_add(1, Ordering::SeqCst))
    }

    fn url(&self, database: &str) -> String {
        let [coordinator, ..] = &self.ports;
        format!("postgres://postgres@127.0.0.1:{coordinator}/{database}")
    }
}

impl Database {
    /// The database's URL at the coordinator.
    #[must_use]
    pub fn url(&self) -> String {
        self.cluster.url(&self.name)
    }

    /// Runs a statement on the coordinator, and returns its output.
    ///
    /// # Panics
    /// When the statement fails.
    pub fn sql(&self, statement: &str) -> String {
        self.cluster.tell(&format!("sql {} {statement}", self.name))
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.cluster.tell(&format!("drop {}", self.name));
        }
    }
}

/// The directory of the programs of a PostgreSQL that has the extension.
#[must_use]
pub fn programs() -> Option<PathBuf> {
    let named = std::env::var_os("CITUS_BIN").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).filter_map(|folder| {
        let program = folder.join("initdb").canonicalize().ok()?;
        program.parent().map(Path::to_path_buf)
    });
    let installed = Path::new("/usr/lib/postgresql").read_dir().into_iter().flatten().flatten();
    let installed = installed.map(|version| version.path().join("bin"));
    named.into_iter().chain(on_path).chain(installed).find(|folder| has_citus(folder))
}

fn has_citus(folder: &Path) -> bool {
    let config = Command::new(folder.join("pg_config")).arg("--sharedir").output();
    config.is_ok_and(|config| {
        let share = String::from_utf8_lossy(&config.stdout);
        Path::new(share.trim_end()).join("extension/citus.control").is_file()
    })
}
