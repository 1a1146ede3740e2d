//! A lent connection and how it returns. One that is in a statement or in a transaction is not lent again as it is.

use deadpool::managed;
use diesel::QueryResult;
use diesel::result::Error;
use diesel_async::SimpleAsyncConnection;

use super::dialect::Connection;
use super::pool::Object;
use crate::holds::Hold;
use crate::rows::StoredResponseRow;

/// A lent connection.
pub(super) struct Pooled {
    object: Option<Object>,
    in_statement: bool,
    in_transaction: bool,
}

impl Pooled {
    pub(super) const fn new(object: Object, in_transaction: bool) -> Self {
        Self {
            object: Some(object),
            in_statement: false,
            in_transaction,
        }
    }

    /// The connection, to run one statement on, unless its turn is over.
    pub(super) fn start_statement(&mut self) -> Option<&mut Connection> {
        self.in_statement = true;
        match self.object.as_mut()? {
            Object::Reader(reader) => Some(reader),
            Object::Turn(turn) => turn.connection(),
        }
    }

    /// Notes that the statement has ended, well or not.
    pub(super) const fn end_statement(&mut self) {
        self.in_statement = false;
    }

    /// Begins to read the snapshot of the first query.
    pub(super) async fn begin_reading(&mut self) -> QueryResult<()> {
        self.in_transaction = true;
        self.execute("BEGIN").await
    }

    /// Ends reading.
    pub(super) async fn end_reading(&mut self) -> QueryResult<()> {
        self.execute("COMMIT").await?;
        self.in_transaction = false;
        Ok(())
    }

    async fn execute(&mut self, statement: &str) -> QueryResult<()> {
        let connection = self.start_statement().ok_or(Error::NotInTransaction)?;
        let executed = connection.batch_execute(statement).await;
        self.end_statement();
        executed
    }

    /// Inserts the stored response, if there is one, and commits. The hold ends with the COMMIT, even if its caller
    /// no longer waits.
    pub(super) async fn commit(
        &mut self,
        response: Option<StoredResponseRow>,
        hold: &mut Option<Hold>,
    ) -> QueryResult<()> {
        let Some(Object::Turn(turn)) = &mut self.object else {
            return Err(Error::NotInTransaction);
        };
        self.in_statement = true;
        let committed = turn.commit(response, hold.take()).await;
        self.in_statement = false;
        self.in_transaction = committed.is_err();
        committed
    }

    /// Rolls back behind what may still be running, and then drops the hold.
    pub(super) fn roll_back(mut self, hold: Option<Hold>) {
        match self.object.take() {
            Some(Object::Turn(turn)) => turn.roll_back(hold),
            Some(reader) => discard(reader),
            None => {}
        }
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        if let Some(object) = self.object.take()
            && (self.in_transaction || self.in_statement)
        {
            discard(object);
        }
    }
}

fn discard(object: Object) {
    match object {
        // The next statement would block its whole thread until this one's last is done.
        Object::Reader(reader) => drop(managed::Object::take(reader)),
        // The turn rolls back when it is dropped.
        Object::Turn(turn) => drop(turn),
    }
}
