//! Log lines on standard error, as text for people or JSON for collectors.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd as _;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, Registry};

/// A layer that receives spans and events in addition to the log.
pub type ExtraLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// Starts logging what the filter lets through.
///
/// # Errors
/// One line when standard error cannot be written to.
pub fn begin(filter: EnvFilter, json: bool, extra: Option<ExtraLayer>) -> anyhow::Result<()> {
    let stderr = io::stderr().as_fd().try_clone_to_owned().context("standard error cannot be written")?;
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(io::stderr().is_terminal())
        .with_writer(Arc::new(BestEffortStderr { stderr: stderr.into(), json, dropped: Mutex::default() }))
        .log_internal_errors(false);
    let lines = if json { lines.json().flatten_event(true).boxed() } else { lines.boxed() };
    let log = tracing_subscriber::registry().with(extra);
    // A second call, as in tests, changes nothing.
    drop(log.with(lines.with_filter(filter)).try_init());
    Ok(())
}

/// Standard error, which never stops the service: write errors are ignored, since a log collector may have
/// gone away, and lines are dropped while one that is there does not read them.
///
/// Each line is one system call, which even in a pipe does not mix lines of up to 4 KiB of several processes.
struct BestEffortStderr {
    stderr: File,
    json: bool,
    /// How many lines were dropped since the last one that was written.
    dropped: Mutex<u64>,
}

/// How long the first line waits for a reader that is behind. The lines after it do not wait.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
const NO_PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

/// POSIX: a pipe that is ready for writing takes this many bytes without waiting.
const PIPE_BUF: usize = 4_096;

impl BestEffortStderr {
    /// Writes a line, unless that would have to wait for the reader.
    fn write_line(&self, line: &[u8], patience: Timespec) -> bool {
        line.chunks(PIPE_BUF).all(|part| {
            let mut ready = [PollFd::new(&self.stderr, PollFlags::OUT)];
            let can_write = !matches!(poll(&mut ready, Some(&patience)), Ok(0));
            if can_write {
                let _ignored = (&self.stderr).write_all(part);
            }
            can_write
        })
    }

    /// The line that says how many were dropped.
    fn notice(&self, dropped: u64) -> String {
        let what = format!("{dropped} log lines were dropped: standard error was not read");
        match self.json {
            true => format!("{{\"level\":\"WARN\",\"message\":\"{what}\"}}\n"),
            false => format!("WARN {what}\n"),
        }
    }
}

impl Write for &BestEffortStderr {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut dropped = self.dropped.lock().unwrap_or_else(PoisonError::into_inner);
        let written = match *dropped {
            0 => self.write_line(line, PATIENCE),
            some => {
                let reads_again = self.write_line(self.notice(some).as_bytes(), NO_PATIENCE);
                if reads_again {
                    *dropped = 0;
                }
                reads_again && self.write_line(line, NO_PATIENCE)
            }
        };
        if !written {
            *dropped = dropped.saturating_add(1);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::fd::OwnedFd;

    use super::*;

    #[test]
    fn reader_that_stops_reading_stops_nothing_and_learns_later_what_it_missed() {
        let (mut reader, writer) = io::pipe().unwrap();
        let stderr = File::from(OwnedFd::from(writer));
        let log = BestEffortStderr { stderr, json: false, dropped: Mutex::default() };
        let line = [&[b'x'; 199][..], b"\n"].concat();
        for _ in 0..1_000 {
            (&log).write_all(&line).unwrap();
        }
        let dropped = *log.dropped.lock().unwrap();
        assert!((600..1_000).contains(&dropped), "{dropped} of 1000");
        let mut read = vec![0; usize::try_from(1_000 - dropped).unwrap() * line.len()];
        reader.read_exact(&mut read).unwrap();
        (&log).write_all(b"again\n").unwrap();
        drop(log);
        let mut rest = String::new();
        reader.read_to_string(&mut rest).unwrap();
        let notice = format!("WARN {dropped} log lines were dropped: standard error was not read\n");
        assert_eq!(rest, notice + "again\n");
    }
}
