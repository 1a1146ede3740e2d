//! The server of `server.py` as a child process.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// A running server, which ends when this is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
}

impl Server {
    /// Starts a server on a port (0: any that is free) that stores mail in a folder.
    pub(crate) fn start(folder: &Path, port: u16, options: &[&str]) -> Self {
        let mut child = Command::new(python())
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/smtp/server.py"))
            .args(["--port", &port.to_string(), "--folder"])
            .arg(folder)
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("python starts, as it did to look for aiosmtpd");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("standard output is piped");
        BufReader::new(stdout).read_line(&mut line).expect("the server says its port");
        let port = line.trim().parse().expect("the server is up");
        Self { child, port }
    }

    pub(crate) fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Errors do not matter: the child may have ended already.
        let _killed = self.child.kill();
        let _status = self.child.wait();
    }
}

/// The folder that a server stores mail in.
pub(crate) struct Taken(TempDir);

impl Taken {
    /// `None`, with a line on standard error, if there is no server to test with; with `REQUIRE_SMTP=1`, a
    /// failure.
    pub(crate) fn if_there_is_a_server() -> Option<Self> {
        if has_aiosmtpd() {
            return Some(Self(tempfile::tempdir().expect("there is room for a folder")));
        }
        let test = std::thread::current();
        let test = test.name().unwrap_or("a test").to_owned();
        let advice =
            "python with aiosmtpd is missing (pip install aiosmtpd; SMTP_TEST_PYTHON names another python)";
        assert!(std::env::var_os("REQUIRE_SMTP").is_none_or(|value| value != "1"), "{advice}");
        // Not with `eprintln!`, since the harness hides what a passing test prints.
        let line = format!("SKIPPED {test}: {advice}\n");
        let _said = std::io::stderr().write_all(line.as_bytes());
        None
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    /// Makes the server defer every mail, or not.
    pub(crate) fn set_busy(&self, busy: bool) {
        let mark = self.folder().join("busy");
        let set = if busy { std::fs::write(mark, "") } else { std::fs::remove_file(mark) };
        set.expect("the folder is ours");
    }

    /// The mails that were accepted, in order.
    pub(crate) fn mails(&self) -> Vec<String> {
        let read = |path| std::fs::read_to_string(path).expect("mail is ASCII");
        self.files().into_iter().map(read).collect()
    }

    /// The port of the connection on which each mail came.
    pub(crate) fn ports(&self) -> Vec<String> {
        let stem = |path: PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let port = |stem: String| stem.split_once('-').map(|(_, port)| port.to_owned());
        self.files().into_iter().filter_map(stem).filter_map(port).collect()
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.folder()).expect("the folder is there");
        let mut files: Vec<_> = entries
            .map(|entry| entry.expect("the folder can be read").path())
            .filter(|path| path.extension().is_some_and(|kind| kind == "eml"))
            .collect();
        files.sort();
        files
    }
}

fn python() -> OsString {
    std::env::var_os("SMTP_TEST_PYTHON").unwrap_or_else(|| "python3".into())
}

fn has_aiosmtpd() -> bool {
    let mut import = Command::new(python());
    import.args(["-c", "import aiosmtpd"]).stderr(Stdio::null());
    import.status().is_ok_and(|status| status.success())
}
