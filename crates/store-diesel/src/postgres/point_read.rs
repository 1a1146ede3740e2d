//! A query that finds one row by its unique key, and is answered at once.
//!
//! Such a query needs no connection to itself. Those of one serving thread go down one line, each behind the other without waiting for
//! answers: the database is woken once for several, and so is the thread. What may take long has no place there.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use diesel::QueryResult;
use diesel_async::AsyncPgConnection;
use kernel::StoreError;

use super::connector::Wire;
use super::queries::Lease;
use crate::errors::store_error;

/// Where one query is run.
pub(super) enum PointRead {
    Line(Arc<Wire>),
    /// A connection of its own, for whoever has no line.
    Lease(Box<Lease>),
}

impl PointRead {
    /// The connection, to run the query on. [`PointRead::settle`] takes its result.
    pub(super) fn conn(&mut self) -> Result<&AsyncPgConnection, StoreError> {
        match self {
            Self::Line(wire) => Ok(wire),
            Self::Lease(lease) => lease.conn().map(|connection| &*connection),
        }
    }

    /// Takes the result of the query.
    pub(super) fn settle<T>(&mut self, result: QueryResult<T>) -> Result<T, StoreError> {
        match self {
            Self::Line(_) => result.map_err(store_error),
            Self::Lease(lease) => lease.settle(result),
        }
    }
}

/// A serving thread's line: the connection, while there is one.
#[derive(Clone, Default)]
pub(super) struct Line {
    wire: Arc<Mutex<Option<Arc<Wire>>>>,
    is_opening: Arc<AtomicBool>,
}

impl Line {
    /// The connection. `None` while it is being opened, which nobody but the opener waits for, and when it cannot be.
    pub(super) async fn open(&self, open: impl AsyncFnOnce() -> Option<Wire>) -> Option<Arc<Wire>> {
        if let Some(wire) = self.current() {
            return Some(wire);
        }
        if self.is_opening.swap(true, Ordering::AcqRel) {
            return None;
        }
        let _opening = Opening(&self.is_opening);
        let wire = Arc::new(open().await?);
        *self.wire.lock().unwrap_or_else(PoisonError::into_inner) = Some(wire.clone());
        Some(wire)
    }

    pub(super) fn is_open(&self) -> bool {
        self.current().is_some()
    }

    fn current(&self) -> Option<Arc<Wire>> {
        let wire = self.wire.lock().unwrap_or_else(PoisonError::into_inner);
        wire.clone().filter(|wire| !wire.has_ended())
    }
}

/// Says that nobody is opening the line any more, even when the opener went away.
struct Opening<'a>(&'a AtomicBool);

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}
