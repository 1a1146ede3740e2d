//! A PostgreSQL server of this run's own, which keeps what it acknowledges: the measured price includes that of durability.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, bail};

const SCRIPT: &str = include_str!("cluster.sh");
const PROGRAMS: [&str; 5] = ["initdb", "pg_ctl", "postgres", "psql", "pgbench"];

/// A running server. It and its files go with this process, whichever way that ends.
#[derive(Debug)]
pub(crate) struct Cluster {
    programs: PathBuf,
    port: u16,
    said: Mutex<Lines<BufReader<ChildStdout>>>,
    supervisor: Child,
}

impl Cluster {
    /// Starts a server; `None` where there are no binaries of one.
    pub(crate) fn start() -> anyhow::Result<Option<Self>> {
        let Some(programs) = programs() else {
            return Ok(None);
        };
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
            .local_addr()?
            .port();
        let mut supervisor = Command::new("sh")
            .args(["-c", SCRIPT, "cluster.sh"])
            .arg(&programs)
            .arg(port.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // In a group of its own, a Ctrl-C does not reach it before this process has ended.
            .process_group(0)
            .spawn()
            .context("cannot run sh")?;
        let said = supervisor
            .stdout
            .take()
            .context("standard output is piped")?;
        let mut said = BufReader::new(said).lines();
        let mut before = String::new();
        while let Some(line) = said.next().transpose()? {
            if line.starts_with("ready ") {
                return Ok(Some(Self {
                    programs,
                    port,
                    said: Mutex::new(said),
                    supervisor,
                }));
            }
            before.push_str(&line);
            before.push('\n');
        }
        bail!("PostgreSQL did not start:\n{before}")
    }

    /// Ends the server as a crash would: nothing is finished, nobody is told.
    pub(crate) fn down(&self) -> anyhow::Result<()> {
        self.tell("down")
    }

    /// Starts it again after that.
    pub(crate) fn up(&self) -> anyhow::Result<()> {
        self.tell("up")
    }

    fn tell(&self, word: &str) -> anyhow::Result<()> {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let mut pipe = self
            .supervisor
            .stdin
            .as_ref()
            .context("standard input is piped")?;
        writeln!(pipe, "{word}")?;
        let mut before = String::new();
        while let Some(line) = said.next().transpose()? {
            if line == format!("is {word}") {
                return Ok(());
            }
            before.push_str(&line);
            before.push('\n');
        }
        bail!("PostgreSQL did not go {word}:\n{before}")
    }

    /// The address of its one database.
    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Runs statements and returns what they print, a row to a line, values apart by `|`.
    pub(crate) fn sql(&self, statements: &str) -> anyhow::Result<String> {
        let mut psql = self.program("psql");
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d"]);
        psql.arg(self.url());
        output(psql, statements)
    }

    /// The same in the database that nobody uses, for what cannot be said in the one that is being refused.
    pub(crate) fn sql_aside(&self, statements: &str) -> anyhow::Result<String> {
        let mut psql = self.program("psql");
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d"]);
        psql.arg(format!(
            "postgres://postgres@127.0.0.1:{}/template1",
            self.port
        ));
        output(psql, statements)
    }

    /// Runs pgbench with these words and returns what it prints.
    pub(crate) fn pgbench(&self, words: &[String]) -> anyhow::Result<String> {
        let mut pgbench = self.program("pgbench");
        pgbench.args(words).arg(self.url());
        output(pgbench, "")
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        // Settings of the person at the keyboard (PGOPTIONS, PGSSLMODE) are for other servers.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("PG") {
                command.env_remove(name);
            }
        }
        command
    }
}

/// Runs a program to its end, with this on its standard input.
fn output(mut command: Command, input: &str) -> anyhow::Result<String> {
    let piped = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = piped
        .spawn()
        .with_context(|| format!("cannot run {:?}", command.get_program()))?;
    let mut pipe = child.stdin.take().context("standard input is piped")?;
    // A program that has stopped reading says why in the end.
    let written = pipe.write_all(input.as_bytes());
    drop(pipe);
    let output = child.wait_with_output()?;
    if !output.status.success() {
        bail!(
            "{:?} failed: {}",
            command.get_program(),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    written?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The folder that has every program: on `PATH`, or the highest version that Debian's packages installed.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path);
    let mut installed: Vec<(u32, PathBuf)> = Path::new("/usr/lib/postgresql")
        .read_dir()
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            Some((
                entry.file_name().to_str()?.parse().ok()?,
                entry.path().join("bin"),
            ))
        })
        .collect();
    installed.sort();
    let installed = installed.into_iter().rev().map(|(_, folder)| folder);
    on_path.chain(installed).find(|folder| {
        PROGRAMS
            .iter()
            .all(|program| folder.join(program).is_file())
    })
}
