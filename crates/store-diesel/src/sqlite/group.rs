//! The transaction that several share, each in a savepoint of its own.
//!
//! A savepoint can be released only while its transaction is open: should SQLite have rolled that back by itself, as it does when the disk
//! is full, it comes out at the end of the turn, and nobody is told otherwise.

use diesel::connection::SimpleConnection as _;
use diesel::result::{DatabaseErrorKind, Error};
use diesel::{ConnectionError, QueryResult, SqliteConnection};
use futures_util::FutureExt as _;

use super::connect::{Role, connect};
use super::dialect::Connection;
use super::messages::Done;
use super::place::Place;
use crate::rows::AnswerRow;
use crate::schema::kept_answers;

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
        self.say("BEGIN IMMEDIATE; SAVEPOINT turn")?;
        self.is_open = true;
        Ok(())
    }

    /// Keeps the answer of somebody's part, which then waits for the COMMIT.
    pub(super) fn keep(&mut self, answer: Option<AnswerRow>, done: Done) {
        let kept = answer.map_or(Ok(()), |answer| {
            self.run(move |connection| {
                let keep = diesel::insert_into(kept_answers::table).values(&answer);
                diesel::RunQueryDsl::execute(keep, connection).map(|_one| ())
            })
        });
        if kept.is_err() {
            self.undo();
            return done.tell(kept);
        }
        match self.say("RELEASE turn") {
            Ok(()) => self.done.push(done),
            Err(error) => done.tell(Err(error)),
        }
    }

    /// Leaves nothing of somebody's part.
    pub(super) fn undo(&mut self) {
        // If that fails, so has everything: the others know by now, and the one whose part it was does not want it.
        let _undone = self.say("ROLLBACK TO turn; RELEASE turn");
    }

    /// Commits what is done, and tells everybody.
    pub(super) fn end(&mut self) {
        let ended = match (self.is_open, self.done.is_empty()) {
            (false, _) => return,
            (true, true) => self.say("ROLLBACK"),
            (true, false) => self.say("COMMIT"),
        };
        self.is_open = false;
        if ended.is_ok() {
            for done in self.done.drain(..) {
                done.tell(Ok(()));
            }
        }
    }

    /// Says what may not fail: if it does, nobody knows any more what is open. The connection is closed, and with it goes all that is not
    /// committed.
    fn say(&mut self, statement: &'static str) -> QueryResult<()> {
        let said = self.run(move |connection| connection.batch_execute(statement));
        if let Err(error) = &said {
            (self.connection, self.is_open) = (None, false);
            for done in self.done.drain(..) {
                done.tell(Err(again(error)));
            }
        }
        said
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

/// An error, for somebody else whom it concerns as well.
fn again(error: &Error) -> Error {
    Error::DatabaseError(DatabaseErrorKind::Unknown, Box::new(error.to_string()))
}
