//! Log lines on standard error, as text for people or JSON for collectors.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd as _;
use std::sync::Arc;

use anyhow::Context as _;
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
        .with_writer(Arc::new(BestEffortStderr(stderr.into())))
        .log_internal_errors(false);
    let lines = if json { lines.json().flatten_event(true).boxed() } else { lines.boxed() };
    let log = tracing_subscriber::registry().with(extra);
    // A second call, as in tests, changes nothing.
    drop(log.with(lines.with_filter(filter)).try_init());
    Ok(())
}

/// Standard error; write errors are ignored, so a service whose log collector has gone away keeps serving.
/// Each line is one system call, which even in a pipe does not mix lines of up to 4 KiB, so threads need no
/// lock.
struct BestEffortStderr(File);

impl Write for &BestEffortStderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = (&self.0).write_all(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
