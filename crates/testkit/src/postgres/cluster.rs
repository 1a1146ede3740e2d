//! The life cycle of a server: from `initdb` to the removal of its directory.
//!
//! The work is done by `supervise.sh`, a child process whose standard input is a pipe from this process. The
//! kernel closes the pipe when this process ends, be it by returning, by a panic, or by a kill, after which
//! no destructor runs; the script then stops the server and removes the directory.

use std::io::{BufRead, BufReader, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};

use super::binaries::Binaries;
use crate::scratch;

const SUPERVISE: &str = include_str!("supervise.sh");
/// Another process may take a port between the check and the server's start, but hardly all five.
const PORTS: usize = 5;

/// A running server, which stops when its supervisor's standard input is closed.
#[derive(Debug)]
pub(super) struct Cluster {
    port: u16,
    dir: String,
    supervisor: Child,
    said: BufReader<ChildStdout>,
}

impl Cluster {
    /// Creates and starts a server, and waits until it accepts connections.
    pub(super) fn start(binaries: &Binaries) -> Self {
        let mut supervisor = Command::new("sh")
            .args(["-c", SUPERVISE, "supervise.sh"])
            .arg(&binaries.server)
            .args(free_ports())
            .env("TMPDIR", scratch::directory())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Its own process group protects it from a Ctrl-C or a kill of the whole group.
            .process_group(0)
            .spawn()
            .expect("sh starts");
        let mut said = BufReader::new(supervisor.stdout.take().expect("standard output is piped"));
        let (port, dir) = ready(&mut said);
        Self { port, dir, supervisor, said }
    }

    /// Stops the server, starts it again, and waits until it accepts connections. All connections are cut.
    pub(super) fn restart(&mut self) {
        let told = self.supervisor.stdin.as_mut().expect("held open");
        writeln!(told, "restart").expect("the supervisor listens");
        ready(&mut self.said);
    }

    /// What the server has logged so far.
    pub(super) fn log(&self) -> String {
        std::fs::read_to_string(format!("{}/log", self.dir)).expect("the server logs to its directory")
    }

    pub(super) const fn port(&self) -> u16 {
        self.port
    }
}

/// Waits for the line with the server's port and the directory of its files.
fn ready(said: &mut BufReader<ChildStdout>) -> (u16, String) {
    let mut before = String::new();
    loop {
        let mut line = String::new();
        let length = said.read_line(&mut line).expect("the supervisor writes text");
        if let Some((port, dir)) = line.strip_prefix("ready ").and_then(|rest| rest.split_once(' ')) {
            let port = port.parse().expect("the supervisor names one of our ports");
            return (port, dir.trim_end().to_owned());
        }
        assert!(length > 0, "PostgreSQL did not start:\n{before}");
        before.push_str(&line);
    }
}

fn free_ports() -> Vec<String> {
    // All ports are held at once, so that they differ.
    let held: Vec<TcpListener> = (0..PORTS)
        .map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port"))
        .collect();
    held.iter()
        .map(|listener| listener.local_addr().expect("a bound listener has an address").port().to_string())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpStream;
    use std::path::Path;

    #[test]
    fn nothing_is_left_when_the_owner_is_gone() {
        let Some(binaries) = Binaries::find() else {
            return;
        };
        let mut cluster = Cluster::start(&binaries);
        assert!(Path::new(&cluster.dir).is_dir());
        assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, cluster.port)).is_ok());
        // The end of a process closes its pipes; closing this one looks the same to the supervisor.
        drop(cluster.supervisor.stdin.take());
        cluster.supervisor.wait().unwrap();
        assert!(!Path::new(&cluster.dir).exists());
        assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, cluster.port)).is_err());
    }
}
