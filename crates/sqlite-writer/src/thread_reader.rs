//! The reader of one serving thread.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::connection::Connection;
use crate::connector::Connector;

/// The total size of these readers' caches, in KiB: as much as the shared pool's.
const CACHES: usize = 4_096;
/// A larger cache would hold pages that a thread seldom needs.
const MAX_CACHE_KIB: usize = 1_024;

pub(crate) struct ThreadReader {
    connector: Connector,
    cache_kib: usize,
    state: Mutex<ReaderState>,
}

enum ReaderState {
    /// Not open: it was not used yet, or was closed.
    Closed,
    Idle(Connection),
    /// Lent, or being opened.
    Lent,
}

impl ThreadReader {
    /// The connection, unless it is lent. Failing to open it is no error: a shared reader may be open
    /// already, and if not, its error is reported.
    pub(crate) async fn try_get(self: &Arc<Self>) -> Option<LentThreadReader> {
        let found = {
            let mut state = self.state();
            match std::mem::replace(&mut *state, ReaderState::Lent) {
                ReaderState::Lent => return None,
                ReaderState::Closed => None,
                ReaderState::Idle(connection) => Some(connection),
            }
        };
        let mut lent = LentThreadReader { of: self.clone(), connection: found };
        if lent.connection.is_none() {
            lent.connection = Some(self.connector.connect(self.cache_kib).await.ok()?.0);
        }
        Some(lent)
    }

    fn state(&self) -> MutexGuard<'_, ReaderState> {
        // Each change is a single step, so that a panic cannot leave a partial one.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A lent reader of a thread. Dropping it returns it.
pub(crate) struct LentThreadReader {
    of: Arc<ThreadReader>,
    /// `None` while it is being opened, and after it was closed.
    connection: Option<Connection>,
}

impl LentThreadReader {
    pub(crate) const fn connection(&mut self) -> Option<&mut Connection> {
        self.connection.as_mut()
    }

    pub(crate) fn close(mut self) {
        self.connection = None;
    }
}

impl Drop for LentThreadReader {
    fn drop(&mut self) {
        let state = self.connection.take().map_or(ReaderState::Closed, ReaderState::Idle);
        *self.of.state() = state;
    }
}

/// The readers of all threads that have one.
pub(crate) struct ThreadReaders {
    connector: Connector,
    max_readers: usize,
    readers: Mutex<Vec<Weak<ThreadReader>>>,
}

/// The number of thread readers.
pub(crate) struct ThreadReadersStatus {
    pub(crate) max_connections: usize,
    pub(crate) open: usize,
    pub(crate) available: usize,
}

impl ThreadReaders {
    /// Readers for at most `max_readers` threads.
    pub(crate) fn new(connector: Connector, max_readers: usize) -> Self {
        Self { connector, max_readers, readers: Mutex::default() }
    }

    /// Adds a reader, unless there are as many as allowed. A thread that has ended no longer counts.
    pub(crate) fn add(&self) -> Option<Arc<ThreadReader>> {
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        readers.retain(|reader| reader.strong_count() > 0);
        if readers.len() >= self.max_readers {
            return None;
        }
        let cache_kib = CACHES.div_euclid(self.max_readers).min(MAX_CACHE_KIB);
        let reader = Arc::new(ThreadReader {
            connector: self.connector.clone(),
            cache_kib,
            state: Mutex::new(ReaderState::Closed),
        });
        readers.push(Arc::downgrade(&reader));
        Some(reader)
    }

    pub(crate) fn status(&self) -> ThreadReadersStatus {
        let readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut status = ThreadReadersStatus { max_connections: readers.len(), open: 0, available: 0 };
        for reader in readers.iter().filter_map(Weak::upgrade) {
            let (open, available) = match &*reader.state() {
                ReaderState::Closed => (0, 0),
                ReaderState::Lent => (1, 0),
                ReaderState::Idle(_) => (1, 1),
            };
            status.open = status.open.saturating_add(open);
            status.available = status.available.saturating_add(available);
        }
        status
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use diesel::connection::SimpleConnection as _;
    use diesel::prelude::*;

    use crate::{Execution, Reader, Readers, Role, connect};

    diesel::table! {
        notes (id) {
            id -> Integer,
        }
    }

    async fn count(reader: &mut Reader) -> i64 {
        let count = |connection: &mut SqliteConnection| notes::table.count().get_result(connection);
        reader.connection().unwrap().spawn_blocking(count).await.unwrap()
    }

    fn file() -> (impl Sized, Readers, SqliteConnection) {
        let (guard, url) = testkit::sqlite::temporary();
        let path = url.strip_prefix("sqlite://").unwrap();
        let mut writer = connect(path, Role::Writer).unwrap();
        writer.batch_execute("CREATE TABLE notes (id INTEGER PRIMARY KEY)").unwrap();
        (guard, Readers::new(path, 8, Duration::from_secs(5)).unwrap(), writer)
    }

    #[tokio::test]
    async fn a_thread_reads_on_its_own_reader_and_while_that_is_lent_on_a_shared_one() {
        let (_guard, readers, _writer) = file();
        let readers = readers.for_thread();
        let mut own = readers.get(Execution::CallingThread).await.unwrap();
        assert_eq!(count(&mut own).await, 0);
        assert_eq!(readers.shared_open(), 0);
        let mut shared = readers.get(Execution::CallingThread).await.unwrap();
        assert_eq!(count(&mut shared).await, 0);
        assert_eq!(readers.shared_open(), 1);
        drop(own);
        let status = readers.status();
        assert_eq!((status.open, status.available), (2, 1));
        drop(shared);
        // Statements that may run long never use the thread's own reader.
        let long = readers.get(Execution::BlockingThread).await.unwrap();
        assert_eq!(readers.status().available, 1);
        assert!(long.is_shared());
    }

    #[tokio::test]
    async fn a_read_sees_every_commit_before_it() {
        let (_guard, readers, mut writer) = file();
        let readers = readers.for_thread();
        for written in 1..=20 {
            writer.batch_execute("INSERT INTO notes DEFAULT VALUES").unwrap();
            let mut own = readers.get(Execution::CallingThread).await.unwrap();
            assert!(!own.is_shared());
            assert_eq!(count(&mut own).await, written);
        }
    }

    #[tokio::test]
    async fn a_closed_reader_is_opened_anew() {
        let (_guard, readers, _writer) = file();
        let readers = readers.for_thread();
        let mut own = readers.get(Execution::CallingThread).await.unwrap();
        let begin = |connection: &mut SqliteConnection| connection.batch_execute("BEGIN");
        own.connection().unwrap().spawn_blocking(begin).await.unwrap();
        own.close();
        let mut own = readers.get(Execution::CallingThread).await.unwrap();
        // BEGIN would fail inside a transaction.
        own.connection().unwrap().spawn_blocking(begin).await.unwrap();
        assert!(!own.is_shared());
    }

    #[tokio::test]
    async fn a_limited_number_of_living_threads_have_readers() {
        let (_guard, readers, _writer) = file();
        let most = std::thread::available_parallelism().map_or(1, usize::from).min(8);
        let threads: Vec<_> = (0..most).map(|_| readers.for_thread()).collect();
        let one_more = readers.for_thread();
        assert!(one_more.get(Execution::CallingThread).await.unwrap().is_shared());
        drop(threads);
        let later = readers.for_thread();
        assert!(!later.get(Execution::CallingThread).await.unwrap().is_shared());
    }
}
