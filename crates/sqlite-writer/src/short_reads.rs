//! Short reads of one thread that share a snapshot.
//!
//! To begin and to end a snapshot, SQLite takes a lock that all connections of the process share, and makes a
//! system call under it, so threads that read at the same time wait for each other. Therefore the reads that
//! requests of one thread ask for before any of them has begun run in one snapshot, which begins after all of
//! these calls.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diesel::connection::Connection as _;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sqlite::Sqlite;
use diesel::{QueryResult, SqliteConnection};
use tokio::sync::{Notify, oneshot};

/// The maximum number of reads in one snapshot: their results stay in memory until each request gets its
/// response.
const MAX_READS: usize = 8;

/// A requested read.
trait Read: Send {
    /// Whether the request that asked for the read was dropped.
    fn is_abandoned(&self) -> bool;
    /// Reads, and sends the result to the request. Returns whether the read succeeded.
    fn run(self: Box<Self>, connection: &mut SqliteConnection) -> bool;
}

struct PendingRead<F, R> {
    read: F,
    result: oneshot::Sender<QueryResult<R>>,
}

impl<F, R> Read for PendingRead<F, R>
where
    F: FnOnce(&mut SqliteConnection) -> QueryResult<R> + Send,
    R: Send,
{
    fn is_abandoned(&self) -> bool {
        self.result.is_closed()
    }

    fn run(self: Box<Self>, connection: &mut SqliteConnection) -> bool {
        let Self { read, result } = *self;
        let read = read(connection);
        let is_well = read.is_ok();
        let _abandoned = result.send(read);
        is_well
    }
}

/// The requested reads of a thread that have not begun.
#[derive(Clone, Default)]
pub(crate) struct ShortReads(Arc<SharedReads>);

#[derive(Default)]
struct SharedReads {
    waiting: Mutex<WaitingReads>,
    /// Notified when the turn ends; every request that asked during the turn waits for this.
    turn_ended: Notify,
}

#[derive(Default)]
struct WaitingReads {
    reads: Vec<Box<dyn Read>>,
    has_turn: bool,
}

impl ShortReads {
    /// Asks for a read, and lets the thread's other ready tasks ask for theirs. The receiver gets the result
    /// once the read was run; it gets none if the read panicked or its snapshot could not begin.
    pub(crate) async fn ask<R: Send + 'static>(
        &self,
        read: impl FnOnce(&mut SqliteConnection) -> QueryResult<R> + Send + 'static,
    ) -> oneshot::Receiver<QueryResult<R>> {
        let (result, to_come) = oneshot::channel();
        let mut turn_ended = pin!(self.0.turn_ended.notified());
        turn_ended.as_mut().enable();
        let has_turn = {
            let mut waiting = self.0.waiting();
            waiting.reads.push(Box::new(PendingRead { read, result }));
            std::mem::replace(&mut waiting.has_turn, true)
        };
        if !has_turn {
            // A new task runs after the tasks that are ready now. The future of a request cannot wait for
            // them by yielding: the HTTP server polls it twice in a row.
            let turn = Turn(self.0.clone());
            tokio::spawn(async move { drop(turn) });
        }
        turn_ended.await;
        to_come
    }

    /// Takes the oldest reads that have not begun.
    pub(crate) fn take(&self) -> Batch {
        let mut waiting = self.0.waiting();
        let most = waiting.reads.len().min(MAX_READS);
        Batch { reads: waiting.reads.drain(..most).collect(), of: self.clone() }
    }

    /// Removes the reads whose requests were dropped.
    pub(crate) fn remove_abandoned(&self) {
        self.0.waiting().reads.retain(|read| !read.is_abandoned());
    }
}

#[cfg(test)]
impl ShortReads {
    fn waiting(&self) -> usize {
        self.0.waiting().reads.len()
    }
}

impl SharedReads {
    fn waiting(&self) -> MutexGuard<'_, WaitingReads> {
        // Each change is a single step, so that a panic cannot leave a partial one.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One turn of the ready tasks. It ends when this is dropped, which also happens when the runtime ends.
struct Turn(Arc<SharedReads>);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.waiting().has_turn = false;
        self.0.turn_ended.notify_waiters();
    }
}

/// Reads that run in one snapshot.
pub(crate) struct Batch {
    reads: Vec<Box<dyn Read>>,
    of: ShortReads,
}

impl Batch {
    pub(crate) const fn is_empty(&self) -> bool {
        self.reads.is_empty()
    }

    /// Runs the reads. After an error in one of them SQLite may have left the snapshot, so the remaining
    /// reads are queued again, for another connection. Returns whether this connection can be used again.
    pub(crate) fn run(self, connection: &mut SqliteConnection) -> bool {
        if connection.execute_returning_count(&BeginSnapshot).is_err() {
            return false;
        }
        let mut reads = self.reads.into_iter();
        while let Some(read) = reads.next() {
            if read.is_abandoned() {
                continue;
            }
            let is_well = catch_unwind(AssertUnwindSafe(|| read.run(connection)));
            if !is_well.unwrap_or(false) {
                self.of.0.waiting().reads.extend(reads);
                return false;
            }
        }
        connection.execute_returning_count(&EndSnapshot).is_ok()
    }
}

/// Reads in one snapshot. After an error the connection may still be in the snapshot, and must be closed.
///
/// # Errors
/// The error of `read`, or the reason why the snapshot could not begin or end.
pub fn in_snapshot<R>(
    connection: &mut SqliteConnection,
    read: impl FnOnce(&mut SqliteConnection) -> QueryResult<R>,
) -> QueryResult<R> {
    connection.execute_returning_count(&BeginSnapshot)?;
    let found = read(connection)?;
    connection.execute_returning_count(&EndSnapshot)?;
    Ok(found)
}

/// Begins a snapshot. Each connection prepares it once; diesel's own BEGIN and COMMIT are compiled each time.
#[derive(Debug, Clone, Copy, QueryId)]
struct BeginSnapshot;

/// Ends a snapshot. Prepared once, like [`BeginSnapshot`].
#[derive(Debug, Clone, Copy, QueryId)]
struct EndSnapshot;

impl QueryFragment<Sqlite> for BeginSnapshot {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("BEGIN");
        Ok(())
    }
}

impl QueryFragment<Sqlite> for EndSnapshot {
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

    use crate::{Execution, ReadError, Readers, Role, connect};

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
    async fn concurrent_reads_share_a_snapshot() {
        let (_guard, path, readers) = file();
        let readers = readers.for_thread();
        let first = readers.read_short(move |connection| {
            let found = count(connection)?;
            write(&path);
            Ok(found)
        });
        let (first, second) = tokio::join!(first, readers.read_short(count));
        assert_eq!(
            (first.unwrap(), second.unwrap()),
            (0, 0),
            "the second does not see what was written between"
        );
    }

    #[tokio::test]
    async fn a_limited_number_of_reads_share_a_snapshot() {
        let (_guard, path, readers) = file();
        let readers = readers.for_thread();
        let reads = (0..=super::MAX_READS).map(|_| {
            let path = path.clone();
            readers.read_short(move |connection| {
                let found = count(connection)?;
                write(&path);
                Ok(found)
            })
        });
        let found: Vec<_> = futures_util::future::join_all(reads).await;
        let found: Vec<_> = found.into_iter().map(Result::unwrap).collect();
        let first = i64::try_from(super::MAX_READS).unwrap();
        assert_eq!((found[..super::MAX_READS].iter().max(), found.last()), (Some(&0), Some(&first)));
    }

    #[tokio::test]
    async fn read_sees_earlier_commits() {
        let (_guard, path, readers) = file();
        let readers = readers.for_thread();
        for written in 1..=20 {
            write(&path);
            assert_eq!(readers.read_short(count).await.unwrap(), written);
        }
    }

    #[tokio::test]
    async fn failing_or_panicking_read_does_not_affect_others() {
        let (_guard, path, readers) = file();
        write(&path);
        let readers = readers.for_thread();
        let fails = readers.read_short(|connection| connection.batch_execute("SELECT * FROM nothing"));
        let panics = readers.read_short(|_connection| -> QueryResult<()> { panic!("a fault") });
        let (fails, panics, counted) = tokio::join!(fails, panics, readers.read_short(count));
        assert!(matches!(fails, Err(ReadError::Read(diesel::result::Error::DatabaseError(..)))));
        assert!(matches!(panics, Err(ReadError::NotRun)));
        assert_eq!(counted.unwrap(), 1);
        assert_eq!(readers.read_short(count).await.unwrap(), 1, "the connection is good");
    }

    #[test]
    fn runtime_that_ends_during_its_read_blocks_no_other() {
        let (opens, ends) = (runtime(), runtime());
        let (_guard, _path, readers) = opens.block_on(async { file() });
        let readers = readers.for_thread();
        ends.block_on(async {
            let mut asked = std::pin::pin!(readers.read_short(count));
            assert!(futures_util::poll!(&mut asked).is_pending());
        });
        drop(ends);
        let found = opens.block_on(async { readers.read_short(count).await });
        assert_eq!(found.unwrap(), 0);
    }

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
    }

    #[tokio::test]
    async fn reads_after_a_failure_share_a_snapshot() {
        let (_guard, path, readers) = file();
        let readers = readers.for_thread();
        // As SQLite does by itself after a disk error.
        let fails = readers.read_short(|connection| {
            connection.batch_execute("ROLLBACK")?;
            Err::<(), _>(diesel::result::Error::RollbackTransaction)
        });
        let behind = readers.read_short(move |connection| {
            let before = count(connection)?;
            write(&path);
            Ok((before, count(connection)?))
        });
        let (fails, behind) = tokio::join!(fails, behind);
        assert!(fails.is_err());
        assert_eq!(behind.unwrap(), (0, 0));
    }

    #[tokio::test]
    async fn abandoned_read_is_not_run() {
        let (_guard, path, readers) = file();
        let readers = readers.for_thread();
        {
            let mut abandoned = std::pin::pin!(readers.read_short(move |_connection| {
                write(&path);
                Ok(())
            }));
            assert!(futures_util::poll!(&mut abandoned).is_pending());
        }
        assert_eq!(readers.read_short(count).await.unwrap(), 0);
        assert_eq!(readers.read_short(count).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn reads_wait_for_a_connection_and_share_the_first_free_one() {
        let (_guard, _path, readers) = file();
        let readers = readers.for_thread();
        // Take the thread's own reader and all shared ones.
        let mut all = Vec::new();
        for _ in 0..9 {
            all.push(readers.get(Execution::CallingThread).await.unwrap());
        }
        let mut waits = std::pin::pin!(readers.read_short(count));
        let mut other = std::pin::pin!(readers.read_short(count));
        assert!(futures_util::poll!(&mut waits).is_pending());
        assert!(futures_util::poll!(&mut other).is_pending());
        tokio::task::yield_now().await;
        assert!(futures_util::poll!(&mut waits).is_pending());
        assert!(futures_util::poll!(&mut other).is_pending());
        all.truncate(8);
        // The one returned connection serves both reads.
        assert_eq!(waits.await.unwrap(), 0);
        assert_eq!(other.await.unwrap(), 0);
        assert_eq!(readers.short_reads.waiting(), 0);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn threads_that_share_readers_run_reads_for_each_other() {
        let (_guard, path, readers) = file();
        write(&path);
        let readers = readers.for_thread();
        let asked = (0..200).map(|_| {
            let readers = readers.clone();
            tokio::spawn(async move { readers.read_short(count).await.unwrap() })
        });
        for found in asked.collect::<Vec<_>>() {
            assert_eq!(found.await.unwrap(), 1);
        }
    }
}
