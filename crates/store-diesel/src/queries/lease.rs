//! A connection that is lent from the pool, and how it goes back there.
//!
//! A connection goes back as it came, or not at all. It must not carry an open transaction, whose locks would stay, nor be in
//! the middle of a statement when its borrower went away: then it is closed, and the database rolls back.

use diesel::QueryResult;
use kernel::StoreError;
use tokio::runtime::Handle;

use super::dialect::{self, Connection};
use super::pool::Object;
use crate::errors::{commit_error, failed, store_error};
use crate::holds::Hold;
use crate::rows::StoredResponseRow;

/// A lent connection.
pub(crate) struct Lease {
    object: Option<Object>,
    in_statement: bool,
    in_transaction: bool,
    runtime: Handle,
}

impl Lease {
    pub(crate) fn new(object: Object, runtime: Handle) -> Self {
        Self {
            object: Some(object),
            in_statement: false,
            in_transaction: false,
            runtime,
        }
    }

    /// A connection with a transaction begun.
    pub(crate) fn begun(object: Object, runtime: Handle) -> Self {
        let mut lease = Self::new(object, runtime);
        lease.in_transaction = true;
        lease
    }

    /// The connection, to run one statement on. [`Lease::settle`] takes its result.
    pub(crate) fn conn(&mut self) -> Result<&mut Connection, StoreError> {
        self.in_statement = true;
        let lent = self.object.as_mut().and_then(dialect::connection);
        lent.ok_or_else(|| failed("the connection was given back already"))
    }

    /// Takes the result of the statement that was run last.
    pub(crate) fn settle<T>(&mut self, result: QueryResult<T>) -> Result<T, StoreError> {
        self.in_statement = false;
        result.map_err(store_error)
    }

    /// Begins to read: everything until [`Lease::end_reading`] is seen as it was at one moment.
    pub(crate) async fn begin_reading(&mut self) -> Result<(), StoreError> {
        self.in_transaction = true;
        let begun = dialect::begin_reading(self.conn()?).await;
        self.settle(begun)
    }

    /// Ends reading.
    pub(crate) async fn end_reading(&mut self) -> Result<(), StoreError> {
        let ended = dialect::end_reading(self.conn()?).await;
        self.settle(ended)?;
        self.in_transaction = false;
        Ok(())
    }

    /// Commits, and keeps an answer ahead of it, if there is one. The hold may end with that.
    pub(crate) async fn commit(
        &mut self,
        answer: Option<StoredResponseRow>,
        hold: &mut Option<Hold>,
    ) -> Result<(), StoreError> {
        let Some(lent) = &mut self.object else {
            return Err(failed("the connection was given back already"));
        };
        self.in_statement = true;
        let (committed, usable) = dialect::commit(lent, answer, hold).await;
        self.in_statement = !usable;
        self.in_transaction = committed.is_err();
        committed.map_err(commit_error)
    }

    /// Rolls back in the background, then gives the connection back, and only then lets go of the hold.
    pub(crate) fn roll_back(mut self, hold: Option<Hold>) {
        if let Some(hold) = &hold {
            hold.is_ending();
        }
        if let Some(object) = self.object.take() {
            dialect::roll_back(object, self.in_statement, hold, &self.runtime);
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let dirty = self.in_transaction || (self.in_statement && !dialect::OUTLIVES_ITS_BORROWER);
        if let Some(object) = self.object.take()
            && dirty
        {
            dialect::discard(object);
        }
    }
}
