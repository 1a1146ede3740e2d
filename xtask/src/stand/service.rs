//! The service: a process of the binary that is measured or tortured.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::client::Connection;

/// Any 32 bytes will do.
pub(crate) const MASTER_KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const READY_WITHIN: Duration = Duration::from_secs(60);
/// How many lines of its log are shown when it does not start.
const SHOWN: usize = 20;
/// What the kernel counts processor time in, on every Linux that Rust runs on (`sysconf(_SC_CLK_TCK)`).
const TICKS_A_SECOND: f64 = 100.0;

/// A running service.
pub(crate) struct Service {
    child: Child,
    pub(crate) address: SocketAddr,
    /// From the start of the process to the first answer that says that it is ready.
    pub(crate) took: Duration,
}

/// The binary with its settings; `folder` is its data directory, and the working directory as well.
pub(crate) fn command(binary: &Path, url: &str, folder: &Path) -> Command {
    let mut command = Command::new(binary);
    command
        .current_dir(folder)
        .env_clear()
        .env("DATABASE_URL", url)
        .env("COUNTINGHOUSE_DATA_DIR", folder)
        .env("COUNTINGHOUSE_MASTER_KEY", MASTER_KEY)
        .env("COUNTINGHOUSE_READS_PER_MINUTE", "1000000000")
        .env("COUNTINGHOUSE_WRITES_PER_MINUTE", "1000000000");
    command
}

/// An address of loopback that nobody listens on.
pub(crate) fn free_address() -> anyhow::Result<SocketAddr> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}

impl Service {
    /// Starts to serve on a free port and waits until it is ready. Its log goes to a file in the folder.
    pub(crate) async fn start(command: Command, folder: &Path) -> anyhow::Result<Self> {
        Self::start_at(free_address()?, command, &folder.join("log")).await
    }

    /// Starts to serve on this address and waits until it is ready. Its log is added to the file.
    pub(crate) async fn start_at(
        address: SocketAddr,
        mut command: Command,
        log: &Path,
    ) -> anyhow::Result<Self> {
        let begun = Instant::now();
        let child = command
            .arg("serve")
            .env("COUNTINGHOUSE_LISTEN", address.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::options().create(true).append(true).open(log)?)
            .spawn()
            .context("cannot start the service")?;
        let mut service = Self {
            child,
            address,
            took: Duration::ZERO,
        };
        while !service.is_ready().await {
            if begun.elapsed() > READY_WITHIN || service.child.try_wait()?.is_some() {
                let log = std::fs::read_to_string(log)?;
                let lines: Vec<&str> = log.lines().collect();
                let last = lines.len().saturating_sub(SHOWN);
                bail!(
                    "the service did not start: {}",
                    lines.get(last..).unwrap_or_default().join("\n")
                );
            }
            tokio::time::sleep(Duration::from_micros(500)).await;
        }
        service.took = begun.elapsed();
        Ok(service)
    }

    /// Whether it says so.
    pub(crate) async fn is_ready(&self) -> bool {
        let Ok(mut connection) = Connection::open(self.address).await else {
            return false;
        };
        let asked = connection.exchange(b"GET /health/ready HTTP/1.1\r\nHost: bench\r\n\r\n");
        asked.await.is_ok_and(|status| status == 200)
    }

    /// The processor time that it has used, in seconds.
    pub(crate) fn cpu_seconds(&self) -> anyhow::Result<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // The name stands in brackets and may hold spaces; user and system time are the 12th and 13th fields behind it.
        let (_, fields) = stat.rsplit_once(')').context("no name in /proc/PID/stat")?;
        let times = fields.split_whitespace().skip(11).take(2);
        let ticks: u32 = times.filter_map(|ticks| ticks.parse::<u32>().ok()).sum();
        Ok(f64::from(ticks) / TICKS_A_SECOND)
    }

    /// Its resident memory in MiB: now, and at its highest.
    pub(crate) fn memory(&self) -> anyhow::Result<(f64, f64)> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let read = |name: &str| -> anyhow::Result<f64> {
            let line = status
                .lines()
                .find(|line| line.starts_with(name))
                .context("no memory in /proc/PID/status")?;
            let kib: u32 = line
                .split_whitespace()
                .nth(1)
                .context("no number")?
                .parse()?;
            Ok(f64::from(kib) / 1_024.0)
        };
        Ok((read("VmRSS:")?, read("VmHWM:")?))
    }

    /// Ends it with `kill -9`, in the midst of whatever it does.
    pub(crate) fn kill(mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Whether the process is there.
    pub(crate) fn runs(&mut self) -> anyhow::Result<bool> {
        Ok(self.child.try_wait()?.is_none())
    }

    /// Has it finish what is in flight, as a supervisor does.
    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        let told = Command::new("kill")
            .args(["-TERM", &self.child.id().to_string()])
            .status()?;
        let ended = self.child.wait()?;
        if !told.success() || !ended.success() {
            bail!("the service did not stop in good order: {ended}");
        }
        Ok(())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended already, and then there is nothing to end.
        let _ended = self.child.kill();
        let _waited = self.child.wait();
    }
}
