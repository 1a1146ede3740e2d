//! Short reads of one thread that share a snapshot.
//!
//! To begin and to end a snapshot, SQLite takes a lock that all connections of the process share, and makes a
//! system call under it: threads that read at the same time wait for each other. So what is asked of a thread
//! before the first of it is read, is read in one snapshot, which begins after all of it was asked.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use deadpool::managed::PoolError;
use diesel::connection::Connection as _;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::Error;
use diesel::sqlite::Sqlite;
use diesel::{ConnectionError, QueryResult, SqliteConnection};
use tokio::sync::{Notify, oneshot};

/// Reads and says what was found to the one that asked.
type Read = Box<dyn FnOnce(&mut SqliteConnection) + Send>;

/// What was asked of a thread and is not read yet.
#[derive(Clone, Default)]
pub(crate) struct ShortReads(Arc<Shared>);

#[derive(Default)]
struct Shared {
    asked: Mutex<Asked>,
    /// The tasks that were ready had their turn.
    turn: Notify,
}

#[derive(Default)]
struct Asked {
    reads: Vec<Read>,
    has_turn: bool,
}

/// Why nothing was read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is no connection.
    #[error(transparent)]
    Connect(#[from] PoolError<ConnectionError>),
    /// A statement failed.
    #[error(transparent)]
    Read(#[from] Error),
}

impl ShortReads {
    /// Asks for something to be read, and lets the thread's other tasks ask that are ready now.
    pub(crate) async fn ask<R: Send + 'static>(
        &self,
        read: impl FnOnce(&mut SqliteConnection) -> QueryResult<R> + Send + 'static,
    ) -> Found<R> {
        let (done, found) = oneshot::channel();
        let read = Box::new(move |connection: &mut SqliteConnection| {
            let _asker_is_gone = done.send(read(connection));
        });
        let mut turn = pin!(self.0.turn.notified());
        turn.as_mut().enable();
        let has_turn = {
            let mut asked = self.0.asked();
            asked.reads.push(read);
            std::mem::replace(&mut asked.has_turn, true)
        };
        if !has_turn {
            // A task of its own goes behind those that are ready. The future of a request is no measure of
            // turns: its server polls it twice in one.
            let turn = Turn(self.0.clone());
            tokio::spawn(async move { drop(turn) });
        }
        turn.await;
        Found(found)
    }

    /// Takes what was asked and is not read yet, to be read in one snapshot.
    pub(crate) fn take(&self) -> impl FnOnce(&mut SqliteConnection) -> QueryResult<()> + use<> {
        let reads = std::mem::take(&mut self.0.asked().reads);
        move |connection| {
            if reads.is_empty() {
                return Ok(());
            }
            in_snapshot(connection, |connection| {
                for read in reads {
                    // The others are read all the same.
                    let _panicked = catch_unwind(AssertUnwindSafe(|| read(connection)));
                }
                Ok(())
            })
        }
    }
}

/// The turn of the tasks that are ready. It ends when this is dropped, also with a runtime that ends.
struct Turn(Arc<Shared>);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.asked().has_turn = false;
        self.0.turn.notify_waiters();
    }
}

impl Shared {
    fn asked(&self) -> MutexGuard<'_, Asked> {
        // Each change is a single step, so that a panic elsewhere leaves nothing half-changed.
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one that asked gets.
pub(crate) struct Found<R>(oneshot::Receiver<QueryResult<R>>);

impl<R> Found<R> {
    /// Whether another one has read it already.
    pub(crate) fn is_there(&self) -> bool {
        !self.0.is_empty()
    }

    /// What was found, which another thread may be about to read. Nothing is when reading panicked, or the
    /// snapshot could not begin.
    pub(crate) async fn get(self) -> QueryResult<R> {
        self.0.await.unwrap_or(Err(Error::BrokenTransactionManager))
    }
}

/// Reads in one snapshot. After an error the connection may still be in it, and must be closed.
///
/// # Errors
/// The error of `read`, or why the snapshot could not begin or end.
pub fn in_snapshot<R>(
    connection: &mut SqliteConnection,
    read: impl FnOnce(&mut SqliteConnection) -> QueryResult<R>,
) -> QueryResult<R> {
    connection.execute_returning_count(&Begin)?;
    let found = read(connection)?;
    connection.execute_returning_count(&Commit)?;
    Ok(found)
}

/// Begins a snapshot. It is prepared once on a connection; what diesel's own transactions begin and end with
/// is compiled each time.
#[derive(Debug, Clone, Copy, QueryId)]
struct Begin;

/// Ends a snapshot.
#[derive(Debug, Clone, Copy, QueryId)]
struct Commit;

impl QueryFragment<Sqlite> for Begin {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("BEGIN");
        Ok(())
    }
}

impl QueryFragment<Sqlite> for Commit {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("COMMIT");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use diesel::connection::SimpleConnection as _;
    use diesel::prelude::*;

    use crate::{ReadError, Readers, Role, connect};

    diesel::table! {
        notes (id) {
            id -> Integer,
        }
    }

    fn file() -> (impl Sized, String, Readers) {
        let (guard, url) = testkit::sqlite::temporary();
        let path = url.strip_prefix("sqlite://").unwrap().to_owned();
        let mut writer = connect(&path, Role::Writer).unwrap();
        writer.batch_execute("CREATE TABLE notes (id INTEGER PRIMARY KEY)").unwrap();
        let readers = Readers::new(&path, 8, Duration::from_secs(5)).unwrap();
        (guard, path, readers)
    }

    fn write(path: &str) {
        connect(path, Role::Writer).unwrap().batch_execute("INSERT INTO notes DEFAULT VALUES").unwrap();
    }

    fn count(connection: &mut SqliteConnection) -> QueryResult<i64> {
        notes::table.count().get_result(connection)
    }

    #[tokio::test]
    async fn what_is_asked_at_once_is_read_in_one_snapshot() {
        let (_guard, path, readers) = file();
        for readers in [readers.for_thread(), readers.clone()] {
            let path = path.clone();
            let first = readers.read_short(move |connection| {
                let found = count(connection)?;
                write(&path);
                Ok(found)
            });
            let (first, second) = tokio::join!(first, readers.read_short(count));
            assert_eq!(first.unwrap(), second.unwrap(), "the second does not see what was written between");
        }
    }

    #[tokio::test]
    async fn what_was_committed_before_it_was_asked_is_read() {
        let (_guard, path, readers) = file();
        let readers = readers.for_thread();
        for written in 1..=20 {
            write(&path);
            assert_eq!(readers.read_short(count).await.unwrap(), written);
        }
    }

    #[tokio::test]
    async fn what_fails_or_panics_leaves_the_others_alone() {
        let (_guard, path, readers) = file();
        write(&path);
        let readers = readers.for_thread();
        let fails = readers.read_short(|connection| connection.batch_execute("SELECT * FROM nothing"));
        let panics = readers.read_short(|_connection| -> QueryResult<()> { panic!("a fault") });
        let (fails, panics, counted) = tokio::join!(fails, panics, readers.read_short(count));
        assert!(matches!(fails, Err(ReadError::Read(diesel::result::Error::DatabaseError(..)))));
        assert!(matches!(panics, Err(ReadError::Read(diesel::result::Error::BrokenTransactionManager))));
        assert_eq!(counted.unwrap(), 1);
        assert_eq!(readers.read_short(count).await.unwrap(), 1, "the connection is good");
    }

    #[test]
    fn a_runtime_that_ends_in_its_turn_holds_up_no_other() {
        let (opens, ends) = (runtime(), runtime());
        let (_guard, _path, readers) = opens.block_on(async { file() });
        ends.block_on(async {
            let mut asked = std::pin::pin!(readers.read_short(count));
            assert!(futures_util::poll!(&mut asked).is_pending());
        });
        drop(ends);
        let found = runtime().block_on(async { readers.read_short(count).await });
        assert_eq!(found.unwrap(), 0);
    }

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
    }

    #[tokio::test]
    async fn one_that_no_longer_waits_is_passed_over() {
        let (_guard, _path, readers) = file();
        let readers = readers.for_thread();
        {
            let mut gone = std::pin::pin!(readers.read_short(count));
            assert!(futures_util::poll!(&mut gone).is_pending());
        }
        assert_eq!(readers.read_short(count).await.unwrap(), 0);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn threads_that_share_readers_read_for_each_other() {
        let (_guard, path, readers) = file();
        write(&path);
        let asked = (0..200).map(|_| {
            let readers = readers.clone();
            tokio::spawn(async move { readers.read_short(count).await.unwrap() })
        });
        for found in asked.collect::<Vec<_>>() {
            assert_eq!(found.await.unwrap(), 1);
        }
    }
}
