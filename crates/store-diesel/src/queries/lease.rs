//! A connection that is lent from the pool, and how it goes back there.
//!
//! A connection goes back as it came, or not at all. It must not carry an open transaction, whose locks would stay, nor be in
//! the middle of a statement when its borrower went away: then it is closed, and the database rolls back.

use diesel::QueryResult;
use diesel_async::SimpleAsyncConnection;
use kernel::StoreError;
use tokio::runtime::Handle;

use super::dialect::{self, Connection};
use super::pool::Object;
use crate::errors::{commit_error, failed, store_error};
use crate::holds::Hold;
use crate::rows::AnswerRow;

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

    /// The connection, to run one statement on. [`Lease::settle`] takes its result.
    pub(crate) fn conn(&mut self) -> Result<&mut Connection, StoreError> {
        self.in_statement = true;
        match self.object.as_deref_mut() {
            Some(lent) => Ok(dialect::connection(lent)),
            None => Err(failed("the connection was given back already")),
        }
    }

    /// Takes the result of the statement that was run last.
    pub(crate) fn settle<T>(&mut self, result: QueryResult<T>) -> Result<T, StoreError> {
        self.in_statement = false;
        result.map_err(store_error)
    }

    /// Begins a transaction.
    pub(crate) async fn begin(&mut self) -> Result<(), StoreError> {
        self.in_transaction = true;
        let begun = dialect::begin(self.conn()?).await;
        self.settle(begun)
    }

    /// Says that the first statement will begin a transaction.
    pub(crate) fn will_begin(&mut self) {
        self.in_transaction = true;
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

    /// Commits, and keeps an answer ahead of it, if there is one.
    pub(crate) async fn commit(&mut self, answer: Option<AnswerRow>) -> Result<(), StoreError> {
        let Some(lent) = self.object.as_deref_mut() else {
            return Err(failed("the connection was given back already"));
        };
        self.in_statement = true;
        let (committed, usable) = dialect::commit(lent, answer).await;
        self.in_statement = !usable;
        self.in_transaction = committed.is_err();
        committed.map_err(commit_error)
    }

    /// Rolls back in the background, then gives the connection back, and only then lets go of the hold.
    ///
    /// A connection that is in a statement is closed instead: its roll-back would have to wait for the statement.
    pub(crate) fn roll_back(mut self, hold: Option<Hold>) {
        if self.in_statement {
            return;
        }
        if let Some(hold) = &hold {
            hold.is_ending();
        }
        let runtime = self.runtime.clone();
        runtime.spawn(async move {
            let Ok(connection) = self.conn() else { return };
            if connection.batch_execute("ROLLBACK").await.is_ok() {
                (self.in_statement, self.in_transaction) = (false, false);
            }
            drop(self);
            drop(hold);
        });
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let dirty = self.in_transaction || (self.in_statement && !dialect::OUTLIVES_ITS_BORROWER);
        if let Some(object) = self.object.take()
            && dirty
        {
            drop(Object::take(object));
        }
    }
}
