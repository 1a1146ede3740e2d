//! The writer and the readers of the file, and the connections lent from them.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use diesel::{ConnectionError, QueryResult, SqliteConnection};
use kernel::{StoreError, StoreResult};
use sqlite_writer::{
    Begin, BeginError, Execution, ReadError, Readers, Role, Writer, connect, create_private_file,
};
use store_schema::errors::{pool_error, store_error};
use store_schema::layout::Layout;
use store_schema::options::{OpenError, StoreOptions};
use store_schema::ports::PoolStatus;
use store_schema::rows::AccountScopeRow;
use store_schema::types::RowId;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::pooled::{LentConnection, Pooled};
use super::queries::pooled_connection::PooledConnection;
use super::queries::purpose::Purpose;

/// The connections to one file.
#[derive(Clone)]
pub(super) struct Pool {
    path: String,
    writer: Writer,
    readers: Readers,
    runtime: Handle,
    looks_for_work: Arc<Mutex<()>>,
}

impl Pool {
    /// Opens the file, and creates it and its directory if missing.
    pub(super) async fn open(path: &str, options: &StoreOptions) -> Result<Self, OpenError> {
        let runtime = Handle::current();
        let file = path.to_owned();
        let made = runtime.spawn_blocking(move || {
            if let Some(folder) = Path::new(&file).parent() {
                std::fs::create_dir_all(folder)?;
            }
            create_private_file(&file)
        });
        made.await.map_err(cannot_open)?.map_err(cannot_open)?;
        let timeout = options.acquire_timeout;
        let pool = Self {
            path: path.to_owned(),
            writer: Writer::start(path, timeout).map_err(cannot_open)?,
            readers: Readers::new(path, options.max_connections, timeout).map_err(cannot_open)?,
            runtime,
            looks_for_work: Arc::default(),
        };
        // The writer puts the file into the state that the readers expect.
        pool.autocommit().await.map_err(cannot_open)?;
        Ok(pool)
    }

    /// This pool with a reader of the calling thread's own.
    pub(super) fn for_thread(&self) -> Self {
        Self { readers: self.readers.for_thread(), ..self.clone() }
    }

    /// The same pool: all accounts are in the same file.
    pub(super) const fn of(&self, _account: RowId) -> Cow<'_, Self> {
        Cow::Borrowed(self)
    }

    /// A connection for short queries on committed data, which run on the calling thread.
    pub(super) async fn read(&self) -> StoreResult<PooledConnection> {
        self.reader(Execution::CallingThread).await
    }

    /// A connection for queries that may run long, which run on a blocking thread.
    pub(super) async fn read_shared(&self) -> StoreResult<PooledConnection> {
        self.reader(Execution::BlockingThread).await
    }

    /// The readers, for a query that finds one row by its unique key. Asynchronous and fallible only to match
    /// the function of PostgreSQL.
    pub(super) async fn point_read(&self) -> StoreResult<PointRead> {
        Ok(PointRead(self.readers.clone()))
    }

    async fn reader(&self, execution: Execution) -> StoreResult<PooledConnection> {
        let reader = self.readers.get(execution).await;
        let reader = reader.map_err(pool_error::<ConnectionError>)?;
        Ok(PooledConnection::new(Pooled::new(LentConnection::Reader(reader), false)))
    }

    /// The writing connection, for one statement that is a transaction by itself. The lock of the file is
    /// taken before the statement: in the statement, SQLite would wait for another process with its own
    /// pauses, which grow to 100 ms, while no other transaction gets the connection.
    pub(super) async fn write(&self) -> StoreResult<PooledConnection> {
        let writing = self.writer.begin(Begin::NewGroup, Execution::BlockingThread).await;
        let writing = writing.map_err(begin_error)?;
        Ok(PooledConnection::new(Pooled::new(LentConnection::WritingOnce(writing), false)))
    }

    /// The lock for looking for work before the statement that does it: a statement that may write waits for
    /// the lock of the file even if it finds nothing. Workers poll at the same time; if they looked at the
    /// same time too, each would open a reader with a cache of its own.
    pub(super) async fn lock_work_search(&self) -> Option<OwnedMutexGuard<()>> {
        Some(self.looks_for_work.clone().lock_owned().await)
    }

    /// The writing connection without a transaction, for short queries.
    pub(super) async fn autocommit(&self) -> StoreResult<PooledConnection> {
        let writing = self.writer.begin(Begin::Autocommit, Execution::CallingThread).await;
        let writing = writing.map_err(begin_error)?;
        Ok(PooledConnection::new(Pooled::new(LentConnection::Writing(writing), false)))
    }

    /// The writing connection with an open transaction.
    pub(super) async fn begin(&self, purpose: Purpose) -> StoreResult<PooledConnection> {
        let (begin, execution) = match purpose {
            Purpose::Request if kernel::may_see_uncommitted() => (Begin::JoinGroup, Execution::CallingThread),
            Purpose::Request => (Begin::NewGroup, Execution::CallingThread),
            Purpose::Batch => (Begin::JoinGroup, Execution::BlockingThread),
            Purpose::Command => (Begin::NewGroup, Execution::BlockingThread),
        };
        let writing = self.writer.begin(begin, execution).await;
        let writing = writing.map_err(begin_error)?;
        Ok(PooledConnection::new(Pooled::new(LentConnection::Writing(writing), true)))
    }

    /// Has nothing to wait for: a lock on the file ends with its process.
    pub(super) async fn roll_backs_ended(&self) {}

    pub(super) fn status(&self) -> PoolStatus {
        let readers = self.readers.status();
        let idle_writer = usize::from(!self.writer.is_in_use());
        PoolStatus {
            // The writer always exists.
            max_connections: readers.max_connections.saturating_add(1),
            open: readers.open.saturating_add(1),
            available: readers.available.saturating_add(idle_writer),
            waiting: readers.waiting.saturating_add(self.writer.waiting()),
        }
    }

    /// The placement of the tables: one file.
    pub(super) const fn layout(&self) -> Layout {
        Layout::OneServer
    }

    pub(super) const fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Runs blocking work on a connection of its own that may write.
    pub(super) async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T, kernel::errors::Source> + Send + 'static,
    ) -> StoreResult<T> {
        let path = self.path.clone();
        let done = self.runtime.spawn_blocking(move || {
            let mut connection = connect(&path, Role::Writer)?;
            work(&mut connection)
        });
        done.await.map_err(|source| StoreError::Failed(source.into()))?.map_err(StoreError::Failed)
    }
}

/// The readers, for one query that finds one row by a unique key.
pub(super) struct PointRead(Readers);

impl PointRead {
    /// Reads in a snapshot that begins now or later.
    pub(super) async fn run<R: Send + 'static>(
        &mut self,
        read: impl FnOnce(&mut SqliteConnection) -> QueryResult<R> + Send + 'static,
    ) -> StoreResult<R> {
        self.0.read_short(read).await.map_err(|error| match error {
            ReadError::Connect(error) => pool_error(error),
            ReadError::Read(error) => store_error(error),
            ReadError::NotRun => StoreError::Failed(error.into()),
        })
    }
}

fn cannot_open(source: impl Into<kernel::errors::Source>) -> OpenError {
    OpenError::Open(source.into())
}

fn begin_error(error: BeginError) -> StoreError {
    match error {
        BeginError::Begin(error) => store_error(error),
        BeginError::TimedOut | BeginError::Connect(_) => StoreError::Unavailable(error.into()),
        BeginError::Ended => StoreError::Failed(error.into()),
    }
}

/// Always `None`: there are no copies of tables in a file.
pub(super) async fn account_key_on_copies(
    _read: &mut PointRead,
    _hash: &[u8],
) -> Option<Option<(RowId, AccountScopeRow)>> {
    None
}
