//! One SQLite transaction that several members share, each in a savepoint of its own.
//!
//! A savepoint can be released only while its transaction is open. If SQLite has rolled the transaction back
//! by itself, as it does when the disk is full, the RELEASE of the member that was open at that moment fails,
//! and every member gets an error.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection as _;
use diesel::result::{DatabaseErrorKind, Error};
use diesel::{ConnectionError, QueryResult, SqliteConnection};
use futures_util::FutureExt as _;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::connection::{
    BUSY_TIMEOUT, Connection, Execution, Executor, Role, connect, is_busy, set_busy_timeout,
};

/// The maximum number of members of a group: the first of them waits for the last.
pub const MAX_GROUP: usize = 16;

/// The pause before BEGIN is retried while another process holds the lock. SQLite's own pauses grow to 100 ms
/// and miss the short gaps between the transactions of a process that writes continuously.
const BEGIN_PAUSE: Duration = Duration::from_micros(150);

/// The last statement of a transaction: after it only COMMIT can fail.
pub type LastStatement = Box<dyn FnOnce(&mut SqliteConnection) -> QueryResult<()> + Send>;

/// A value that is dropped when a transaction has ended, before its members get the result.
pub type TransactionGuard = Box<dyn Any + Send + Sync>;

/// A transaction that has released its savepoint and waits for COMMIT.
pub(crate) struct Member {
    pub(crate) guard: Option<TransactionGuard>,
    pub(crate) committed: oneshot::Sender<QueryResult<()>>,
}

impl Member {
    fn finish(self, committed: QueryResult<()>) {
        release(self.guard);
        let _receiver_is_gone = self.committed.send(committed);
    }
}

/// Drops a guard. A panic in it must not end the writer's thread.
pub(crate) fn release(guard: Option<TransactionGuard>) {
    if catch_unwind(AssertUnwindSafe(|| drop(guard))).is_err() {
        tracing::error!("a guard of a transaction panicked when it was released");
    }
}

/// The writing connection, and the transaction that is open on it.
pub(crate) struct CommitGroup {
    path: String,
    executor: Executor,
    connection: Option<Connection>,
    is_open: bool,
    members: Vec<Member>,
}

impl CommitGroup {
    pub(crate) fn new(path: String, runtime: Handle) -> Self {
        Self { path, executor: Executor::new(runtime), connection: None, is_open: false, members: Vec::new() }
    }

    /// Connects, if there is no connection yet.
    pub(crate) fn connect(&mut self) -> Result<(), ConnectionError> {
        if self.connection.is_none() {
            let made = connect(&self.path, Role::Writer)?;
            self.connection = Some(Connection::with_runtime(made, self.executor.clone()));
        }
        Ok(())
    }

    pub(crate) const fn connection(&mut self) -> Option<&mut Connection> {
        self.connection.as_mut()
    }

    /// Sets on which thread the connection's statements run.
    pub(crate) fn execute_on(&self, execution: Execution) {
        self.executor.set(execution);
    }

    /// Waits for a statement of the member that runs on a blocking thread, and keeps its queued ones from
    /// running in a later transaction.
    pub(crate) fn end_statements(&self) {
        self.executor.end_transaction();
    }

    pub(crate) const fn is_open(&self) -> bool {
        self.is_open
    }

    /// Whether another member may join.
    pub(crate) const fn has_room(&self) -> bool {
        self.is_open && self.members.len() < MAX_GROUP
    }

    /// Whether a savepoint is released and not committed.
    pub(crate) const fn has_members(&self) -> bool {
        !self.members.is_empty()
    }

    /// Begins the transaction, if none is open, and a savepoint in it.
    pub(crate) fn begin(&mut self) -> QueryResult<()> {
        if !self.is_open {
            let begun = self.run(begin_immediate);
            if let Err(error) = begun {
                // A write of another process is not a fault of the connection.
                if !is_busy(&error) {
                    self.connection = None;
                }
                return Err(error);
            }
            self.is_open = true;
        }
        self.must("SAVEPOINT member")
    }

    /// Runs the last statement of the open savepoint and releases the savepoint, which makes it a member.
    pub(crate) fn release(&mut self, last: Option<LastStatement>, member: Member) {
        if let Some(last) = last
            && let Err(error) = self.run_last(last)
        {
            self.undo();
            return member.finish(Err(error));
        }
        match self.must("RELEASE member") {
            Ok(()) => self.members.push(member),
            Err(error) => member.finish(Err(error)),
        }
    }

    fn run_last(&mut self, last: LastStatement) -> QueryResult<()> {
        self.run(move |connection| {
            // If SQLite has rolled the transaction back, this savepoint begins a new one, so that the
            // statement is not committed without the ones before it.
            connection.batch_execute("SAVEPOINT last")?;
            last(connection)
        })
    }

    /// Rolls back the open savepoint.
    pub(crate) fn undo(&mut self) {
        // If this fails, all members fail and get an error; the caller wanted only the roll-back.
        let _undone = self.must("ROLLBACK TO member; RELEASE member");
    }

    /// Commits, and sends every member the result.
    pub(crate) fn commit(&mut self) {
        if !self.is_open {
            return;
        }
        self.is_open = false;
        if self.members.is_empty() {
            let _undone = self.must("ROLLBACK");
            return;
        }
        match self.run(|connection| connection.batch_execute("COMMIT")) {
            Ok(()) => self.members.drain(..).for_each(|member| member.finish(Ok(()))),
            // It is unknown what has reached the disk.
            Err(error) => self.close(DatabaseErrorKind::Unknown, &error.to_string()),
        }
    }

    /// Runs a statement that fails only when the state of the transaction is unknown; the connection is then
    /// closed.
    fn must(&mut self, statement: &'static str) -> QueryResult<()> {
        let done = self.run(move |connection| connection.batch_execute(statement));
        if done.is_err() {
            // The other members are not at fault, and may retry.
            let why = "the shared transaction was rolled back";
            self.close(DatabaseErrorKind::SerializationFailure, why);
        }
        done
    }

    /// Closes the connection. Everything uncommitted is lost.
    fn close(&mut self, kind: DatabaseErrorKind, why: &str) {
        // A queued statement keeps the connection open until a blocking thread is free. It must not keep the
        // lock of the file.
        let _released = self.run(|connection| connection.batch_execute("ROLLBACK"));
        (self.connection, self.is_open) = (None, false);
        for member in self.members.drain(..) {
            member.finish(Err(Error::DatabaseError(kind, Box::new(why.to_owned()))));
        }
    }

    /// Runs work on this thread.
    fn run<R: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut SqliteConnection) -> QueryResult<R> + Send + 'static,
    ) -> QueryResult<R> {
        self.executor.set(Execution::CallingThread);
        let connection = self.connection.as_mut();
        let ran = connection.and_then(|connection| connection.spawn_blocking(work).now_or_never());
        ran.unwrap_or(Err(Error::BrokenTransactionManager))
    }
}

/// Begins as a writer: a transaction that begins as a reader cannot wait for the lock when it first writes.
fn begin_immediate(connection: &mut SqliteConnection) -> QueryResult<()> {
    set_busy_timeout(connection, Duration::ZERO)?;
    let first_try = Instant::now();
    let begun = loop {
        match connection.batch_execute("BEGIN IMMEDIATE") {
            Err(error) if is_busy(&error) && first_try.elapsed() < BUSY_TIMEOUT => {
                std::thread::park_timeout(BEGIN_PAUSE);
            }
            begun => break begun,
        }
    };
    set_busy_timeout(connection, BUSY_TIMEOUT)?;
    begun
}
