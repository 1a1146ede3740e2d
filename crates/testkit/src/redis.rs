//! Throw-away Redis servers: each test has its own, and may stop, pause and restart it.
//!
//! A server listens only on loopback, writes nothing to disk, and ends when its value is dropped or when the
//! process that started it ends, in whatever way. If there is no `redis-server` on `PATH`, [`server`] prints
//! this on standard error and returns `None`, and the test returns early; with `REQUIRE_REDIS=1` it panics
//! instead.
//!
//! ```no_run
//! let Some(mut redis) = testkit::redis::server() else {
//!     return;
//! };
//! let url = redis.url();
//! redis.stop();
//! redis.start();
//! assert_eq!(redis.url(), url);
//! ```

mod access;
mod program;

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use access::Access;
use program::{find, missing, skipped};

const SUPERVISE: &str = include_str!("redis/supervise.sh");
/// Another process may take a port between the check and the server's start, but hardly five times.
const TRIES: usize = 5;

/// A Redis server, private to its owner.
#[derive(Debug)]
pub struct Server {
    program: PathBuf,
    port: u16,
    access: Access,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    supervisor: Child,
    process: String,
}

/// A new server; `None` if there is no `redis-server` on `PATH`.
///
/// # Panics
/// When the server does not start, or, with `REQUIRE_REDIS=1`, when there is no `redis-server`.
#[must_use]
pub fn server() -> Option<Server> {
    let server = make(Access::Open)?;
    Some(server.expect("redis-server starts on one of the ports that were free a moment before"))
}

/// A new server with a password, which [`Server::url`] contains.
///
/// # Panics
/// As [`server`].
#[must_use]
pub fn server_with_password(password: &str) -> Option<Server> {
    let server = make(Access::Password(password.to_owned()))?;
    Some(server.expect("redis-server starts on one of the ports that were free a moment before"))
}

/// A new server that accepts only TLS connections, with this certificate and its key (PEM files). `None`,
/// with a message, also if `redis-server` was built without TLS.
///
/// # Panics
/// With `REQUIRE_REDIS=1`, when there is no such `redis-server`.
#[must_use]
pub fn server_with_tls(certificate: &Path, key: &Path) -> Option<Server> {
    let (certificate, key) = (certificate.to_owned(), key.to_owned());
    let server = make(Access::Tls { certificate, key })?;
    if server.is_none() {
        skipped("this redis-server knows no TLS");
    }
    server
}

/// A new server; `None` if there is no program, and `Some(None)` if it does not start.
fn make(access: Access) -> Option<Option<Server>> {
    let Some(program) = find() else {
        missing();
        return None;
    };
    let mut server = Server { program, port: 0, access, running: None };
    for _ in 0..TRIES {
        server.port = free_port();
        server.running = server.try_to_start();
        if server.running.is_some() {
            return Some(Some(server));
        }
    }
    Some(None)
}

impl Server {
    /// The server's URL, which never changes.
    #[must_use]
    pub fn url(&self) -> String {
        self.access.url(self.port)
    }

    /// Stops the server, which loses all its data. Connections break, and nothing listens any more.
    ///
    /// # Panics
    /// When the server cannot be stopped.
    pub fn stop(&mut self) {
        if let Some(mut running) = self.running.take() {
            // The supervisor ends when its input is closed.
            drop(running.supervisor.stdin.take());
            running.supervisor.wait().expect("the supervisor ends");
        }
    }

    /// Starts the server again, empty, on the same port.
    ///
    /// # Panics
    /// When the server does not start.
    pub fn start(&mut self) {
        self.stop();
        self.running = self.try_to_start();
        assert!(self.running.is_some(), "redis-server starts again");
    }

    /// Pauses the server: connections stay open and new ones are accepted, but nothing gets a response.
    ///
    /// # Panics
    /// When the server does not run.
    pub fn hold(&self) {
        self.signal("-STOP");
    }

    /// Resumes a paused server.
    ///
    /// # Panics
    /// When the server does not run.
    pub fn resume(&self) {
        self.signal("-CONT");
    }

    /// Sends one command, given as words, and returns the server's response in its wire format.
    ///
    /// # Panics
    /// When the server does not respond.
    #[must_use]
    pub fn ask(&self, words: &[&str]) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).expect("the server listens");
        let mut commands = Vec::new();
        if let Access::Password(password) = &self.access {
            commands.push(format!("AUTH {password}"));
        }
        commands.push(words.join(" "));
        commands.push("QUIT\r\n".to_owned());
        stream.write_all(commands.join("\r\n").as_bytes()).expect("the server listens");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the server answers in text");
        answer
    }

    fn signal(&self, signal: &str) {
        let running = self.running.as_ref().expect("the server runs");
        let status = Command::new("kill").args([signal, &running.process]).status().expect("kill runs");
        assert!(status.success());
    }

    /// Starts the server and waits until it accepts connections; `None` when it ends before that.
    fn try_to_start(&self) -> Option<Running> {
        let mut supervisor = Command::new("sh")
            .args(["-c", SUPERVISE, "supervise.sh"])
            .arg(&self.program)
            .args(["--bind", "127.0.0.1"])
            // The data does not outlive the test, so it need not reach the disk.
            .args(["--save", "", "--appendonly", "no", "--dir", "/"])
            .args(self.access.options(self.port))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Its own process group protects it from a Ctrl-C or a kill of the whole group.
            .process_group(0)
            .spawn()
            .expect("sh starts");
        let said = supervisor.stdout.take().expect("standard output is piped");
        match process_when_ready(BufReader::new(said)) {
            Some(process) => Some(Running { supervisor, process }),
            None => {
                drop(supervisor.stdin.take());
                supervisor.wait().expect("the supervisor ends");
                None
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Reads the server's output until it accepts connections, and returns its process id; `None` when the server
/// has ended.
fn process_when_ready(said: impl BufRead) -> Option<String> {
    let mut process = None;
    for line in said.lines().map_while(Result::ok) {
        if let Some(id) = line.strip_prefix("process ") {
            process = Some(id.to_owned());
        }
        if line.contains("Ready to accept connections") {
            return process;
        }
    }
    None
}

fn free_port() -> u16 {
    let held = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
    held.local_addr().expect("a bound listener has an address").port()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_answers_stops_and_starts_again_empty() {
        let Some(mut server) = server_with_password("sesame") else {
            return;
        };
        assert!(server.url().contains(":sesame@127.0.0.1:"));
        assert_eq!(server.ask(&["SET", "a", "1"]), "+OK\r\n+OK\r\n+OK\r\n");
        assert!(server.ask(&["GET", "a"]).contains("$1\r\n1\r\n"));
        server.stop();
        assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, server.port)).is_err());
        server.start();
        assert!(server.ask(&["GET", "a"]).contains("$-1"));
    }

    #[test]
    fn nothing_is_left_when_the_owner_is_gone() {
        let Some(mut server) = server() else { return };
        server.hold();
        let running = server.running.as_mut().unwrap();
        // The end of a process closes its pipes; closing this one looks the same to the supervisor.
        drop(running.supervisor.stdin.take());
        running.supervisor.wait().unwrap();
        assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, server.port)).is_err());
    }
}
