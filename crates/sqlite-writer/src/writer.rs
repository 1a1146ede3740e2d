//! The single writer of a file.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::begin::{Begin, BeginError};
use crate::connection::Execution;
use crate::write_transaction::{SharedWriter, Waiter, WriteTransaction};
use crate::writer_thread::WriterThread;

/// The single writer of a file. Clones share its connection.
#[derive(Clone)]
pub struct Writer {
    shared: Arc<SharedWriter>,
    acquire_timeout: Duration,
}

impl Writer {
    /// Starts the writer's thread, which connects at first use. Call this on the runtime whose blocking
    /// threads it uses.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn start(path: &str, acquire_timeout: Duration) -> std::io::Result<Self> {
        let (to_thread, messages) = channel();
        let shared = Arc::new(SharedWriter::new(to_thread));
        let thread = WriterThread {
            shared: Arc::downgrade(&shared),
            parked: None,
            path: path.to_owned(),
            runtime: Handle::current(),
        };
        std::thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || thread.serve(&messages))?;
        Ok(Self { shared, acquire_timeout })
    }

    /// Waits for the connection and begins a transaction, whose statements run as `execution` says.
    pub async fn begin(&self, begin: Begin, execution: Execution) -> Result<WriteTransaction, BeginError> {
        let (give, given) = oneshot::channel();
        self.shared.enqueue(Waiter { begin, execution, give });
        match tokio::time::timeout(self.acquire_timeout, given).await {
            Ok(given) => given.unwrap_or(Err(BeginError::Ended)),
            Err(_elapsed) => Err(BeginError::TimedOut),
        }
    }

    /// Whether a transaction holds the connection.
    #[must_use]
    pub fn is_in_use(&self) -> bool {
        self.shared.is_in_use()
    }

    /// How many callers wait for the connection, without the one whose transaction begins now.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.shared.waiting()
    }
}

#[cfg(test)]
mod tests;
