//! A lent connection and how it returns to its pool.
//!
//! A connection returns to the pool without an open transaction; otherwise it is closed and the server rolls
//! back. A connection that was dropped in the middle of a statement outside a transaction may be lent again:
//! the server responds in order, and diesel-async discards the response that is no longer awaited.

use std::any::TypeId;
use std::task::Poll;

use diesel::QueryResult;
use diesel::result::Error;
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use futures_util::future::{join, join_all, ready};
use futures_util::{FutureExt, poll};
use tokio::sync::watch;
use tokio::task::coop::unconstrained;

use crate::connect::Object;
use crate::failures::is_refused_write;
use crate::last_statement::LastStatement;

/// A connection that was lent by a [`Pool`](crate::Pool).
pub struct PooledConnection {
    connection: Object,
    in_statement: bool,
    in_transaction: bool,
}

impl PooledConnection {
    pub(crate) const fn new(connection: Object) -> Self {
        Self { connection, in_statement: false, in_transaction: false }
    }

    /// The connection, to run one statement on. Call [`PooledConnection::end_statement`] when the result is
    /// there.
    pub fn start_statement(&mut self) -> &mut AsyncPgConnection {
        self.in_statement = true;
        &mut self.connection
    }

    /// Records that the statement has ended, whether it succeeded or failed.
    pub const fn end_statement(&mut self) {
        self.in_statement = false;
    }

    /// Notes that a statement failed. A connection to a server that only reads by now is closed: a new one is
    /// made to the server that writes.
    pub fn note_failure(&self, error: &Error) {
        if is_refused_write(error) {
            self.connection.close();
        }
    }

    /// Begins a transaction. BEGIN is sent together with the first statement and costs no round trip of its
    /// own.
    ///
    /// # Errors
    /// When the connection is closed.
    pub fn begin(&mut self) -> QueryResult<()> {
        self.in_transaction = true;
        self.send("BEGIN")
    }

    /// Begins a read-only transaction that sees one snapshot. It is sent as by [`PooledConnection::begin`].
    ///
    /// # Errors
    /// When the connection is closed.
    pub fn begin_read_only(&mut self) -> QueryResult<()> {
        self.in_transaction = true;
        self.send("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    }

    /// Ends a read-only transaction without waiting for the response: the COMMIT of reads cannot fail.
    ///
    /// # Errors
    /// When the connection is closed.
    pub fn end_read_only(&mut self) -> QueryResult<()> {
        self.send("COMMIT")?;
        self.in_transaction = false;
        Ok(())
    }

    /// Runs the last statements in order, and commits.
    ///
    /// All are sent in one round trip, once the statements are prepared on this connection. If one of them is
    /// not cached by diesel, they all take round trips of their own before COMMIT. When a last statement
    /// fails, nothing is committed.
    ///
    /// Returns how many rows each statement returned or changed.
    ///
    /// # Errors
    /// The error of the first last statement that failed, or else of COMMIT.
    pub async fn commit(&mut self, last: Vec<Box<dyn LastStatement>>) -> QueryResult<Vec<usize>> {
        self.in_statement = true;
        let result = self.commit_with(last).await;
        self.in_statement = false;
        self.in_transaction = result.is_err();
        result
    }

    async fn commit_with(&mut self, last: Vec<Box<dyn LastStatement>>) -> QueryResult<Vec<usize>> {
        // The first poll sends only statements that diesel has cached. Others are prepared first, and a
        // COMMIT sent meanwhile would overtake them.
        let ids: Vec<Option<TypeId>> = last.iter().map(|statement| statement.cached_as()).collect();
        let prepared = &self.connection.prepared;
        if ids.iter().all(|id| id.is_some_and(|id| prepared.contains(&id))) {
            // Unconstrained, because tokio makes a statement wait once the task has used up its budget;
            // COMMIT, which uses no budget, would then be sent first.
            return unconstrained(commit_together(&self.connection, last)).await;
        }
        let mut changed = Vec::with_capacity(last.len());
        for statement in last {
            changed.push(statement.execute(&self.connection).await?);
        }
        self.connection.batch_execute("COMMIT").await?;
        self.connection.prepared.extend(ids.into_iter().flatten());
        Ok(changed)
    }

    /// Rolls back in the background, returns the connection to its pool and then drops the guard.
    ///
    /// A connection in the middle of a statement is closed instead, since the roll-back would have to wait
    /// for it.
    pub fn roll_back<G: Send + 'static>(mut self, guard: G) {
        if self.in_statement {
            self.connection.close();
            drop(self);
            return drop(guard);
        }
        let runtime = self.connection.runtime.clone();
        let counted = CountedRollBack::begin(&self.connection.roll_backs);
        // If the runtime is shut down meanwhile, the connection is dropped inside its transaction, and is
        // therefore closed.
        runtime.spawn(async move {
            let rolled_back = self.connection.batch_execute("ROLLBACK").await;
            self.in_transaction = rolled_back.is_err();
            drop(self);
            drop(guard);
            drop(counted);
        });
    }

    /// One poll sends a statement; its response is discarded.
    fn send(&mut self, statement: &str) -> QueryResult<()> {
        let sent = self.connection.batch_execute(statement);
        sent.now_or_never().unwrap_or(Ok(()))
    }
}

/// A roll-back in the background, which [`Pool::roll_backs_ended`](crate::Pool::roll_backs_ended) waits for.
struct CountedRollBack(watch::Sender<usize>);

impl CountedRollBack {
    fn begin(running: &watch::Sender<usize>) -> Self {
        running.send_modify(|count| *count = count.saturating_add(1));
        Self(running.clone())
    }
}

impl Drop for CountedRollBack {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}

/// Sends statements that are already prepared, followed by COMMIT.
async fn commit_together(
    connection: &AsyncPgConnection,
    last: Vec<Box<dyn LastStatement>>,
) -> QueryResult<Vec<usize>> {
    let mut sent = Vec::with_capacity(last.len());
    for statement in last {
        let mut executing = statement.execute(connection);
        sent.push(match poll!(executing.as_mut()) {
            // It failed before it was sent, or its response has already arrived on another thread.
            Poll::Ready(executed) => ready(Ok(executed?)).boxed(),
            Poll::Pending => executing,
        });
    }
    let mut for_commit = connection;
    // After a failed statement the server refuses the later ones and turns COMMIT into ROLLBACK, so the first
    // error has the cause.
    let (executed, committed) = join(join_all(sent), for_commit.batch_execute("COMMIT")).await;
    let changed = executed.into_iter().collect::<QueryResult<Vec<usize>>>()?;
    committed.map(|()| changed)
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        if self.in_transaction {
            self.connection.close();
        }
    }
}
