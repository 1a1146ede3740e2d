//! The statements of one connection that run on blocking threads.
//!
//! The runtime starts a queued statement when a blocking thread is free, even if its future was dropped. By
//! then its transaction may have ended, and the connection may belong to another one.

use std::any::Any;
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The work of a statement and its result, with their types erased: otherwise the runtime's code for tasks
/// would be compiled again for the types of each statement.
pub(crate) type ErasedWork = Box<dyn FnOnce() -> Box<dyn Any + Send> + Send>;
pub(crate) type ErasedResult = Result<Box<dyn Any + Send>, Box<dyn Error + Send + Sync>>;

#[derive(Debug, Default)]
pub(crate) struct QueuedStatements {
    /// Locked while a statement runs.
    running: Mutex<()>,
    /// How many transactions have ended. Changed only under the lock; read without it when a statement is
    /// queued, which must not wait for one that runs.
    ended: AtomicU64,
}

/// The transaction in which a statement was queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TransactionNumber(u64);

impl QueuedStatements {
    /// The transaction that has the connection now.
    pub(crate) fn transaction(&self) -> TransactionNumber {
        TransactionNumber(self.ended.load(Ordering::Relaxed))
    }

    /// Runs a statement, unless the transaction in which it was queued has ended.
    pub(crate) fn run(&self, queued_in: TransactionNumber, work: ErasedWork) -> ErasedResult {
        let _running = self.running();
        if self.transaction() != queued_in {
            return Err("the transaction of the statement has ended".into());
        }
        run_caught(work)
    }

    /// Ends a transaction: waits for its statement that runs, and keeps the queued ones from running. It
    /// never waits for a queued one, since all blocking threads may be busy for long.
    pub(crate) fn end_transaction(&self) {
        let _none_runs = self.running();
        self.ended.fetch_add(1, Ordering::Relaxed);
    }

    fn running(&self) -> MutexGuard<'_, ()> {
        // The lock guards no data that a panic could leave half changed.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a statement. A panic becomes an error like any other: the transaction is rolled back after it.
pub(crate) fn run_caught(work: ErasedWork) -> ErasedResult {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_panic| "the work of a statement panicked".into())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;

    use super::*;

    #[test]
    fn end_of_a_transaction_waits_for_its_running_statement() {
        let queued = QueuedStatements::default();
        let (start, started) = channel();
        let (release, released) = channel::<()>();
        let work: ErasedWork = Box::new(move || {
            start.send(()).unwrap();
            assert!(released.recv().is_err());
            Box::new(())
        });
        thread::scope(|threads| {
            threads.spawn(|| queued.run(queued.transaction(), work));
            started.recv().unwrap();
            let ends = threads.spawn(|| queued.end_transaction());
            for _ in 0..1_000 {
                thread::yield_now();
                assert!(!ends.is_finished());
            }
            drop(release);
        });
    }
}
