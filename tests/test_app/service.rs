//! A running `countinghouse serve`, and commands that run beside it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use reqwest::Method;
use serde_json::{Value, json};

use super::caller::{Caller, TestResponse};
use super::database::{Database, MASTER_KEY};
use super::until::until;

/// What browsers say that they accept.
pub(crate) const BROWSER: (&str, &str) = ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8");

/// The binary under test.
pub(crate) fn binary() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_countinghouse"))
}

/// A server that ends with the test.
pub(crate) struct TestApp {
    pub(crate) database: Database,
    pub(crate) base: String,
    settings: Vec<(String, String)>,
    child: Child,
    log: Arc<Mutex<String>>,
    printed: Option<JoinHandle<String>>,
}

impl TestApp {
    /// Starts a server and waits until it logs that it serves.
    pub(crate) async fn start(database: Database, settings: &[(&str, &str)]) -> Self {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let settings: Vec<_> = settings.iter().map(own).collect();
        let Spawned { child, base, log, printed } = spawn(&database, &settings, Stdio::piped());
        Self { database, base, settings, child, log, printed }
    }

    /// Starts a server whose standard output is a pipe without a reader.
    pub(crate) fn start_with_closed_output(database: Database) -> Self {
        let (_, closed) = std::io::pipe().expect("a pipe");
        let Spawned { child, base, log, printed } = spawn(&database, &[], closed.into());
        Self { database, base, settings: Vec::new(), child, log, printed }
    }

    /// Starts a second process beside this one, on the same database and with the same settings. The second
    /// process must end first.
    pub(crate) async fn second_process(&self) -> Self {
        let settings = self.settings.iter();
        let settings: Vec<_> = settings.map(|(name, value)| (&**name, &**value)).collect();
        Self::start(self.database.reopened(), &settings).await
    }

    /// Kills the process with `kill -9`, and starts another one on the same database.
    pub(crate) fn kill_and_start_again(&mut self) {
        self.kill();
        self.start_again();
    }

    /// Kills the process with `kill -9`.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("the server is running");
        self.child.wait().expect("the server ends");
    }

    /// Starts another process on the same database, after the previous one has ended.
    pub(crate) fn start_again(&mut self) {
        let Spawned { child, base, log, printed } = spawn(&self.database, &self.settings, Stdio::piped());
        (self.child, self.base, self.log, self.printed) = (child, base, log, printed);
    }

    /// Changes or removes a setting for the next start and for commands.
    pub(crate) fn set(&mut self, name: &str, value: Option<&str>) {
        self.settings.retain(|(set, _)| set != name);
        self.settings.extend(value.map(|value| (name.to_owned(), value.to_owned())));
    }

    /// The additional settings of the test.
    pub(crate) fn settings(&self) -> &[(String, String)] {
        &self.settings
    }

    /// Stops the server and returns everything that it printed to standard output.
    pub(crate) async fn stop_and_read_output(&mut self) -> String {
        self.terminate().await;
        self.printed.take().expect("read once").join().expect("a thread that reads")
    }

    /// Sends SIGTERM, as supervisors do, and returns the exit status.
    pub(crate) async fn terminate(&mut self) -> std::process::ExitStatus {
        send_sigterm(&self.child);
        until("the end of the process", async || self.child.try_wait().expect("a child of this process"))
            .await
    }

    /// Runs a command of the binary on the same database.
    pub(crate) fn command(&self, words: &[&str]) -> Output {
        command(&self.database, &self.settings).args(words).output().expect("the binary starts")
    }

    /// Runs a command whose standard output is a pipe without a reader.
    pub(crate) fn command_with_closed_output(&self, words: &[&str]) -> Output {
        let (_, closed) = std::io::pipe().expect("a pipe");
        command(&self.database, &self.settings)
            .args(words)
            .stdout(closed)
            .output()
            .expect("the binary starts")
    }

    /// Runs a command that reads standard input.
    pub(crate) fn command_with_input(&self, words: &[&str], input: &str) -> Output {
        let mut command = command(&self.database, &self.settings);
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(input.as_bytes()).expect("the command reads");
        drop(stdin);
        child.wait_with_output().expect("the command ends")
    }

    /// Runs a command of the binary on a database, whether or not a server runs there.
    pub(crate) fn command_on(database: &Database, settings: &[(String, String)], words: &[&str]) -> Output {
        command(database, settings).args(words).output().expect("the binary starts")
    }

    /// Like [`Self::command_on`], without the master key of the tests.
    pub(crate) fn command_without_master_key(
        database: &Database,
        settings: &[(String, String)],
        words: &[&str],
    ) -> Output {
        command(database, settings)
            .env_remove("COUNTINGHOUSE_MASTER_KEY")
            .args(words)
            .output()
            .expect("the binary starts")
    }

    /// Runs a command with `--json` and reads what it printed.
    pub(crate) fn command_json(&self, words: &[&str]) -> Value {
        let output = self.command(&[words, &["--json"]].concat());
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("one JSON value")
    }

    /// Records a payment in cash and returns the invoice.
    pub(crate) fn record_payment(&self, account: &str, invoice: &str, amount: &str) -> Value {
        let which = ["payment", "record", "--account", account, "--invoice", invoice];
        self.command_json(&[&which[..], &["--amount", amount, "--method", "cash"]].concat())
    }

    /// The text of a field of the first line of the log that has it.
    pub(crate) fn logged(&self, field: &str) -> Option<String> {
        let log = self.log();
        log.lines()
            .map(serde_json::from_str::<Value>)
            .filter_map(Result::ok)
            .find_map(|event| event[field].as_str().map(str::to_owned))
    }

    /// A function that returns the server's log so far, even while the server is borrowed elsewhere.
    pub(crate) fn log_of_its_own(&self) -> impl Fn() -> String + use<> {
        let log = Arc::clone(&self.log);
        move || log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The server's log so far.
    pub(crate) fn log(&self) -> String {
        self.log_of_its_own()()
    }

    /// Waits until the log of the running server contains `said` this number of times, and returns the log.
    pub(crate) async fn until_logged(&self, said: &str, times: usize) -> String {
        let look = async || Some(self.log()).filter(|log| log.matches(said).count() >= times);
        until(said, look).await
    }

    /// The mails that were written to files so far and match, without soft line breaks.
    pub(crate) fn mails_so_far(&self, fits: impl Fn(&str) -> bool) -> Vec<String> {
        let files =
            std::fs::read_dir(self.database.folder.path().join("mail")).into_iter().flatten().flatten();
        let files = files.filter(|file| file.path().extension().is_some_and(|ending| ending == "eml"));
        let mails = files.map(|file| std::fs::read_to_string(file.path()).expect("a mail is text"));
        mails.map(|mail| mail.replace("=\r\n", "")).filter(|mail| fits(mail)).collect()
    }

    /// The mails that match, once as many as wanted were written to files.
    pub(crate) async fn mails(&self, wanted: usize, fits: impl Fn(&str) -> bool) -> Vec<String> {
        let look = async || Some(self.mails_so_far(&fits)).filter(|found| found.len() >= wanted);
        until(&format!("{wanted} mails"), look).await
    }

    pub(crate) fn anonymous(&self) -> Caller {
        Caller::new(&self.base, None)
    }

    pub(crate) fn with_key(&self, key: &str) -> Caller {
        Caller::new(&self.base, Some(key))
    }

    /// Opens a page as a browser does that nobody is signed in with.
    pub(crate) async fn open(&self, path: &str) -> TestResponse {
        self.anonymous().send(Method::GET, path, &[BROWSER], None).await
    }

    /// The path of an invoice's payment page.
    pub(crate) fn pay_path(&self, invoice: &Value) -> String {
        let pay_url = invoice["pay_url"].as_str().expect("a link");
        pay_url.strip_prefix(&self.base).expect("a link to this server").to_owned()
    }

    /// A new partner.
    pub(crate) fn partner(&self) -> Caller {
        let made = self.command_json(&["partner", "create", "--name", "Test partner"]);
        self.with_key(made["partner_key"].as_str().expect("a key"))
    }

    /// A new account of a new partner, in New York, whose default currency is AUD.
    pub(crate) async fn account(&self) -> Caller {
        self.account_of(&self.partner(), json!({})).await.0
    }

    /// A new account of a partner, with these fields, and the response to its creation.
    pub(crate) async fn account_of(&self, partner: &Caller, fields: Value) -> (Caller, Value) {
        let email = format!("owner-{}@example.com", unique());
        let mut body = json!({"company_name": "Test company", "email": email});
        for (name, value) in fields.as_object().expect("an object") {
            body[name] = value.clone();
        }
        let made = partner.post("/partner/accounts", &body).await;
        assert_eq!(made.status, 201, "{}", made.body);
        (self.with_key(made.body["api_key"].as_str().expect("a key")), made.body)
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        // The process may already have ended; the test's result does not depend on it.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            println!("--- log of the server on {}\n{}", self.database.name, self.log());
        }
    }
}

/// A number that no other call in this process gets.
pub(crate) fn unique() -> usize {
    static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

fn command(database: &Database, settings: &[(String, String)]) -> Command {
    let mut command = Command::new(binary());
    command
        .current_dir(database.folder.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("DATABASE_URL", &database.url)
        .env("COUNTINGHOUSE_DATA_DIR", database.folder.path())
        .env("COUNTINGHOUSE_MASTER_KEY", MASTER_KEY)
        .env("COUNTINGHOUSE_LISTEN", "127.0.0.1:0")
        .env("COUNTINGHOUSE_LOG_FORMAT", "json")
        .env("COUNTINGHOUSE_READS_PER_MINUTE", "1000000")
        .env("COUNTINGHOUSE_WRITES_PER_MINUTE", "1000000")
        .env("COUNTINGHOUSE_CITUS", database.is_distributed().to_string())
        .envs(settings.iter().map(|(name, value)| (name, value)));
    command
}

struct Spawned {
    child: Child,
    base: String,
    log: Arc<Mutex<String>>,
    printed: Option<JoinHandle<String>>,
}

/// The command that serves on a database, to be started by the test itself.
pub(crate) fn serving(database: &Database, settings: &[(&str, &str)]) -> Command {
    let mut command = command(database, &[]);
    command.arg("serve").envs(settings.iter().copied());
    command
}

/// Sends SIGTERM, as supervisors do.
pub(crate) fn send_sigterm(process: &Child) {
    let status = Command::new("kill").args(["-TERM", &process.id().to_string()]).status();
    assert!(status.expect("kill runs").success());
}

fn spawn(database: &Database, settings: &[(String, String)], output: Stdio) -> Spawned {
    let mut child = command(database, settings)
        .arg("serve")
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let log = Arc::new(Mutex::new(String::new()));
    let keep = |log: &Mutex<String>, line: &str| {
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        log.push_str(line);
        log.push('\n');
    };
    let address = loop {
        let Some(Ok(line)) = lines.next() else {
            panic!("the server on {} did not start:\n{}", database.name, log.lock().expect("a log"));
        };
        keep(&log, &line);
        let event: Value = serde_json::from_str(&line).unwrap_or_default();
        if let Some(address) = event["listening"].as_str() {
            break address.to_owned();
        }
    };
    let rest = Arc::clone(&log);
    std::thread::spawn(move || lines.map_while(Result::ok).for_each(|line| keep(&rest, &line)));
    let printed = child
        .stdout
        .take()
        .map(|out| std::thread::spawn(move || std::io::read_to_string(out).unwrap_or_default()));
    Spawned { child, base: format!("http://{address}"), log, printed }
}
