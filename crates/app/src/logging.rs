//! Log lines on standard error, as text for people or JSON for collectors.

use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd as _;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use kernel::{Clock as _, SystemClock, instant_text};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
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
    let stderr = BestEffortStderr::open(json).context("standard error cannot be written")?;
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(io::stderr().is_terminal())
        .with_writer(Arc::new(stderr))
        .log_internal_errors(false);
    let lines = if json { lines.json().flatten_event(true).boxed() } else { lines.boxed() };
    let log = tracing_subscriber::registry().with(extra);
    // A second call, as in tests, changes nothing.
    drop(log.with(lines.with_filter(filter)).try_init());
    Ok(())
}

/// Standard error, which does not stop the service: write errors are ignored, since a log collector may have
/// gone away, and lines are dropped while one that is there does not read them.
///
/// A line of up to 4 KiB is one system call, which even in a pipe does not mix lines of several processes.
struct BestEffortStderr {
    stderr: File,
    json: bool,
    missed: Mutex<Missed>,
}

/// What a reader of the log has not got since the last whole line.
#[derive(Default)]
struct Missed {
    lines: u64,
    /// Whether a line was cut.
    is_cut: bool,
}

/// How long the first line waits for a reader that is behind. The lines after it do not wait.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
const NO_PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

/// POSIX: a pipe that is ready for writing takes this many bytes without waiting.
const PIPE_BUF: usize = 4_096;

impl BestEffortStderr {
    fn open(json: bool) -> io::Result<Self> {
        let stderr = io::stderr();
        // A terminal that is ready may take less than a line. Opened anew, it can be written to without
        // waiting, which does not concern the other programs that have it.
        let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let opened = stderr.is_terminal().then(|| rustix::fs::open("/proc/self/fd/2", flags, Mode::empty()));
        let stderr = match opened {
            Some(Ok(terminal)) => terminal,
            Some(Err(_)) | None => stderr.as_fd().try_clone_to_owned()?,
        };
        Ok(Self { stderr: stderr.into(), json, missed: Mutex::default() })
    }

    /// Writes a line as far as the reader takes it; returns how many of its bytes are left.
    fn write_line(&self, line: &[u8], patience: Timespec) -> usize {
        let mut rest = line;
        while !rest.is_empty() {
            let mut ready = [PollFd::new(&self.stderr, PollFlags::OUT)];
            match poll(&mut ready, Some(&patience)) {
                Ok(0) => return rest.len(),
                Err(Errno::INTR) => continue,
                Ok(_) | Err(_) => {}
            }
            match (&self.stderr).write(rest.get(..PIPE_BUF).unwrap_or(rest)) {
                Ok(0) => return 0,
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return rest.len(),
                // The reader has gone.
                Err(_) => return 0,
            }
        }
        0
    }

    /// The line that says how many were dropped.
    fn notice(&self, missed: &Missed) -> String {
        let begin = if missed.is_cut { "\n" } else { "" };
        let what = format!("{} log lines were dropped: standard error was not read", missed.lines);
        let at = instant_text(SystemClock.now());
        match self.json {
            true => format!(r#"{begin}{{"timestamp":"{at}","level":"WARN","message":"{what}"}}"#) + "\n",
            false => format!("{begin}{at}  WARN {what}\n"),
        }
    }
}

impl Write for &BestEffortStderr {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut missed = self.missed.lock().unwrap_or_else(PoisonError::into_inner);
        let mut patience = PATIENCE;
        if missed.lines > 0 {
            patience = NO_PATIENCE;
            let notice = self.notice(&missed);
            let left = self.write_line(notice.as_bytes(), patience);
            if left > 0 {
                missed.is_cut |= left < notice.len();
                missed.lines = missed.lines.saturating_add(1);
                return Ok(line.len());
            }
            *missed = Missed::default();
        }
        let left = self.write_line(line, patience);
        if left > 0 {
            *missed = Missed { lines: 1, is_cut: left < line.len() };
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

    fn log_into(writer: io::PipeWriter, json: bool) -> BestEffortStderr {
        BestEffortStderr { stderr: File::from(OwnedFd::from(writer)), json, missed: Mutex::default() }
    }

    #[test]
    fn reader_that_stops_reading_stops_nothing_and_learns_later_what_it_missed() {
        let (mut reader, writer) = io::pipe().unwrap();
        let log = log_into(writer, false);
        let line = [&[b'x'; 199][..], b"\n"].concat();
        for _ in 0..1_000 {
            (&log).write_all(&line).unwrap();
        }
        let missed = log.missed.lock().unwrap().lines;
        assert!((600..1_000).contains(&missed), "{missed} of 1000");
        let mut read = vec![0; usize::try_from(1_000 - missed).unwrap() * line.len()];
        reader.read_exact(&mut read).unwrap();
        (&log).write_all(b"again\n").unwrap();
        drop(log);
        let mut rest = String::new();
        reader.read_to_string(&mut rest).unwrap();
        let notice = format!(" WARN {missed} log lines were dropped: standard error was not read\nagain\n");
        assert!(rest.ends_with(&notice), "{rest}");
    }

    #[test]
    fn line_that_is_cut_leaves_the_next_ones_whole() {
        let (mut reader, writer) = io::pipe().unwrap();
        let log = log_into(writer, true);
        let long = [&[b'x'; 199_999][..], b"\n"].concat();
        (&log).write_all(&long).unwrap();
        let mut cut = vec![0; 65_536];
        reader.read_exact(&mut cut).unwrap();
        (&log).write_all(b"{}\n").unwrap();
        drop(log);
        let mut rest = String::new();
        reader.read_to_string(&mut rest).unwrap();
        let lines: Vec<_> = rest.lines().collect();
        assert_eq!((lines.len(), lines[0], lines[2]), (3, "", "{}"), "{rest}");
        let notice: serde_json::Value = serde_json::from_str(lines[1]).unwrap();
        assert!(notice["message"].as_str().unwrap().starts_with("1 log lines"), "{notice}");
    }
}
