//! Group commit: the transaction that several share, each in a savepoint of its own.
//!
//! A savepoint can be released only while its transaction is open: should SQLite have rolled that back by itself, as it does when the disk
//! is full, it comes out at the end of the turn, before anything else is done, and nobody is told otherwise.

use diesel::connection::SimpleConnection as _;
use diesel::result::{DatabaseErrorKind, Error};
use diesel::{ConnectionError, QueryResult, SqliteConnection};
use futures_util::FutureExt as _;

use super::blocking::Place;
use super::connect::{Role, connect};
use super::dialect::Connection;
use super::messages::Done;
use crate::errors::is_contention;
use crate::rows::StoredResponseRow;
use crate::schema::idempotency_keys;

/// The connection, and what is open on it.
#[derive(Default)]
pub(super) struct Group {
    /// Here unless it is lent, or there is none.
    connection: Option<Connection>,
    is_open: bool,
    /// Those who are done, and wait for the COMMIT.
    done: Vec<Done>,
}

impl Group {
    /// Connects, if there is no connection.
    pub(super) fn connect(&mut self, path: &str, place: Place) -> Result<(), ConnectionError> {
        if self.connection.is_none() {
            let made = connect(path, Role::Writer)?;
            self.connection = Some(Connection::with_runtime(made, place));
        }
        Ok(())
    }

    /// The connection, to be lent.
    pub(super) const fn lend(&mut self) -> Option<Connection> {
        self.connection.take()
    }

    /// The connection is back.
    pub(super) fn is_back(&mut self, connection: Connection) {
        self.connection = Some(connection);
    }

    /// Whether nothing is open.
    pub(super) const fn is_over(&self) -> bool {
        !self.is_open
    }

    /// How many are done.
    pub(super) const fn len(&self) -> usize {
        self.done.len()
    }

    /// Begins somebody's part.
    pub(super) fn begin(&mut self) -> QueryResult<()> {
        if self.is_open {
            return self.say("SAVEPOINT turn");
        }
        // Begins as a writer at once: a transaction that begins as a reader cannot wait when it comes to write.
        let begun = self.run(|connection| connection.batch_execute("BEGIN IMMEDIATE"));
        if let Err(error) = begun {
            // That another process writes is no fault of the connection.
            if !is_contention(&error) {
                self.connection = None;
            }
            return Err(error);
        }
        self.is_open = true;
        self.say("SAVEPOINT turn")
    }

    /// Keeps the answer of somebody's part, which then waits for the COMMIT.
    pub(super) fn keep(&mut self, answer: Option<StoredResponseRow>, done: Done) {
        if let Some(answer) = answer
            && let Err(error) = self.keep_answer(answer)
        {
            self.undo();
            return done.tell(Err(error));
        }
        match self.say("RELEASE turn") {
            Ok(()) => self.done.push(done),
            Err(error) => done.tell(Err(error)),
        }
    }

    fn keep_answer(&mut self, answer: StoredResponseRow) -> QueryResult<()> {
        self.run(move |connection| {
            // Should no transaction be open any more, this opens one, so that the answer does not stay without what it answers.
            connection.batch_execute("SAVEPOINT answer")?;
            let keep = diesel::insert_into(idempotency_keys::table).values(&answer);
            diesel::RunQueryDsl::execute(keep, connection).map(|_one| ())
        })
    }

    /// Leaves nothing of somebody's part.
    pub(super) fn undo(&mut self) {
        // If that fails, so has everything: the others know by now, and the one whose part it was does not want it.
        let _undone = self.say("ROLLBACK TO turn; RELEASE turn");
    }

    /// Commits what is done, and tells everybody.
    pub(super) fn end(&mut self) {
        if !self.is_open {
            return;
        }
        self.is_open = false;
        if self.done.is_empty() {
            let _undone = self.say("ROLLBACK");
            return;
        }
        match self.run(|connection| connection.batch_execute("COMMIT")) {
            Ok(()) => self.done.drain(..).for_each(|done| done.tell(Ok(()))),
            // Nobody knows what has reached the disk.
            Err(error) => self.close(DatabaseErrorKind::Unknown, &error.to_string()),
        }
    }

    /// Says what may not fail: if it does, nobody knows any more what is open.
    fn say(&mut self, statement: &'static str) -> QueryResult<()> {
        let said = self.run(move |connection| connection.batch_execute(statement));
        if said.is_err() {
            // It is no fault of the others, who may do it all again.
            let why = "the transaction that was shared is rolled back";
            self.close(DatabaseErrorKind::SerializationFailure, why);
        }
        said
    }

    /// Closes the connection. With it goes all that is not committed, which those who are done are told.
    fn close(&mut self, kind: DatabaseErrorKind, why: &str) {
        (self.connection, self.is_open) = (None, false);
        for done in self.done.drain(..) {
            let error = Error::DatabaseError(kind, Box::new(why.to_owned()));
            done.tell(Err(error));
        }
    }

    /// Runs work on the connection, which is here.
    pub(super) fn run<R: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut SqliteConnection) -> QueryResult<R> + Send + 'static,
    ) -> QueryResult<R> {
        let connection = self.connection.as_mut();
        let ran = connection.and_then(|connection| connection.spawn_blocking(work).now_or_never());
        ran.unwrap_or(Err(Error::BrokenTransactionManager))
    }
}
