//! Asking for the turn to write.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use diesel::{QueryResult, SqliteConnection};
use kernel::StoreError;
use tokio::sync::oneshot;

use super::messages::{Ask, Message, Wish};
use super::turn::Turn;
use super::writer_thread::WriterThread;
use crate::errors::failed;
use crate::open::OpenError;

/// The one who writes, on a thread of its own, which goes with the last of these.
#[derive(Clone)]
pub(super) struct Writer(Arc<Desk>);

struct Desk {
    messages: Sender<Message>,
    acquire_timeout: Duration,
    waiting: AtomicUsize,
    /// Whether somebody has the turn.
    is_lent: Arc<AtomicBool>,
}

impl Drop for Desk {
    fn drop(&mut self) {
        drop(self.messages.send(Message::Stop));
    }
}

impl Writer {
    /// Starts the thread, which connects when it is first asked.
    pub(super) fn start(path: &str, acquire_timeout: Duration) -> Result<Self, OpenError> {
        let (messages, received) = channel();
        let is_lent = Arc::new(AtomicBool::new(false));
        let thread = WriterThread::new(path.to_owned(), messages.clone(), is_lent.clone());
        std::thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || thread.serve(&received))
            .map_err(|source| OpenError::Open(source.into()))?;
        Ok(Self(Arc::new(Desk {
            messages,
            acquire_timeout,
            waiting: AtomicUsize::new(0),
            is_lent,
        })))
    }

    /// Waits for the turn, which begins with some work. In a turn for a single statement the work stays done even if nobody takes the turn any
    /// more, since there is no transaction.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when it takes too long, or there is no connection; [`StoreError::Contended`] when another process writes
    /// for too long.
    pub(super) async fn turn<R: Send + 'static>(
        &self,
        wish: Wish,
        work: impl FnOnce(&mut SqliteConnection) -> QueryResult<R> + Send + 'static,
    ) -> Result<(Turn, QueryResult<R>), StoreError> {
        let _counted = Waiting::among(&self.0.waiting);
        let (lend, lent) = oneshot::channel();
        let start = move |thread: &mut WriterThread| {
            if !lend.is_closed() {
                // A turn that nobody takes any more is over at once.
                let _nobody_waits = lend.send(thread.begin(wish, work));
            }
        };
        let ask = Ask {
            wish,
            start: Box::new(start),
        };
        // Should the thread be gone, that drops whom to lend to.
        drop(self.0.messages.send(Message::Ask(ask)));
        match tokio::time::timeout(self.0.acquire_timeout, lent).await {
            Ok(lent) => lent.unwrap_or_else(|_gone| Err(failed("the thread that writes is gone"))),
            Err(too_long) => Err(StoreError::Unavailable(too_long.into())),
        }
    }

    /// Whether somebody has the turn.
    pub(super) fn is_lent(&self) -> bool {
        self.0.is_lent.load(Ordering::Relaxed)
    }

    /// How many wait.
    pub(super) fn waiting(&self) -> usize {
        self.0.waiting.load(Ordering::Relaxed)
    }
}

/// Counts somebody who waits, for as long as it does.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn among(waiting: &'a AtomicUsize) -> Self {
        waiting.fetch_add(1, Ordering::Relaxed);
        Self(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
