//! The writer and the readers of the file, and what is lent of them.

use std::path::Path;

use diesel::result::Error;
use diesel::{ConnectionError, QueryResult, RunQueryDsl, SqliteConnection};
use diesel_async::SimpleAsyncConnection as _;
use kernel::StoreError;
use sqlite_writer::{
    Begin, BeginError, Connection, Execution, Guard, LastStatement, Reader, Readers, Role,
    WriteTransaction, Writer, connect, create_private_file,
};
use tokio::runtime::Handle;

use super::queries::Lease;
use super::queries::transaction::Purpose;
use crate::errors::{pool_error, store_error};
use crate::in_flight_keys::InFlightKey;
use crate::open::{OpenError, StoreOptions};
use crate::ports::PoolStatus;
use crate::rows::StoredResponseRow;
use crate::schema::idempotency_keys;

/// The connections to one file.
#[derive(Clone)]
pub(super) struct Pool {
    path: String,
    writer: Writer,
    readers: Readers,
    runtime: Handle,
}

impl Pool {
    /// Opens the file, and makes it and its folder if they are not there.
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
        };
        // The writer makes the file what the readers expect to find.
        pool.write().await.map_err(cannot_open)?;
        Ok(pool)
    }

    /// The same pool: every thread uses the same connections.
    pub(super) fn for_thread(&self) -> Self {
        self.clone()
    }

    /// A connection for short queries on what is committed; they run on the calling thread.
    pub(super) async fn read(&self) -> Result<Lease, StoreError> {
        self.reader(Execution::CallingThread).await
    }

    /// A connection for queries that may take long; they run on a blocking thread.
    pub(super) async fn read_shared(&self) -> Result<Lease, StoreError> {
        self.reader(Execution::BlockingThread).await
    }

    /// Where to run a query that finds one row by its unique key: a connection like any other.
    pub(super) async fn point_read(&self) -> Result<Lease, StoreError> {
        self.read().await
    }

    async fn reader(&self, execution: Execution) -> Result<Lease, StoreError> {
        let reader = self.readers.get(execution).await;
        let reader = reader.map_err(pool_error::<ConnectionError>)?;
        Ok(Lease::new(Pooled::new(Lent::Reader(reader), false)))
    }

    /// The writing connection, for statements that are transactions of their own.
    pub(super) async fn write(&self) -> Result<Lease, StoreError> {
        self.autocommit(Execution::BlockingThread).await
    }

    pub(super) async fn autocommit(&self, execution: Execution) -> Result<Lease, StoreError> {
        let writing = self.writer.begin(Begin::Autocommit, execution).await;
        let writing = writing.map_err(begin_error)?;
        Ok(Lease::new(Pooled::new(Lent::Writing(writing), false)))
    }

    /// The writing connection, with a transaction begun.
    pub(super) async fn begin(&self, purpose: Purpose) -> Result<Lease, StoreError> {
        let (begin, execution) = match purpose {
            Purpose::Request if kernel::may_see_uncommitted() => {
                (Begin::JoinGroup, Execution::CallingThread)
            }
            Purpose::Request => (Begin::NewGroup, Execution::CallingThread),
            Purpose::Batch => (Begin::JoinGroup, Execution::BlockingThread),
            Purpose::Command => (Begin::NewGroup, Execution::BlockingThread),
        };
        let writing = self.writer.begin(begin, execution).await;
        let writing = writing.map_err(begin_error)?;
        Ok(Lease::new(Pooled::new(Lent::Writing(writing), true)))
    }

    pub(super) fn status(&self) -> PoolStatus {
        let readers = self.readers.status();
        let idle_writer = usize::from(!self.writer.is_in_use());
        PoolStatus {
            // The writer is always there.
            most: readers.max_size.saturating_add(1),
            size: readers.size.saturating_add(1),
            available: readers.available.saturating_add(idle_writer),
            waiting: readers.waiting.saturating_add(self.writer.waiting()),
        }
    }

    pub(super) const fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Does blocking work on a connection of its own that may write.
    pub(super) async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T, kernel::errors::Source> + Send + 'static,
    ) -> Result<T, StoreError> {
        let path = self.path.clone();
        let done = self.runtime.spawn_blocking(move || {
            let mut connection = connect(&path, Role::Writer)?;
            work(&mut connection)
        });
        done.await
            .map_err(|source| StoreError::Failed(source.into()))?
            .map_err(StoreError::Failed)
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

enum Lent {
    Reader(Reader),
    Writing(WriteTransaction),
}

/// A lent connection. One that is in a statement or in a transaction when it is dropped is not lent again as
/// it is.
pub(super) struct Pooled {
    lent: Option<Lent>,
    in_statement: bool,
    in_transaction: bool,
}

impl Pooled {
    const fn new(lent: Lent, in_transaction: bool) -> Self {
        Self {
            lent: Some(lent),
            in_statement: false,
            in_transaction,
        }
    }

    /// The connection, to run one statement on, unless the transaction has ended.
    pub(super) fn start_statement(&mut self) -> Option<&mut Connection> {
        self.in_statement = true;
        match self.lent.as_mut()? {
            Lent::Reader(reader) => Some(reader.connection()),
            Lent::Writing(writing) => writing.connection(),
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

    /// Inserts the stored response, if there is one, and commits. The in-flight key is released at the
    /// COMMIT, even if its caller no longer waits.
    pub(super) async fn commit(
        &mut self,
        response: Option<StoredResponseRow>,
        in_flight_key: &mut Option<InFlightKey>,
    ) -> QueryResult<()> {
        let Some(Lent::Writing(writing)) = &mut self.lent else {
            return Err(Error::NotInTransaction);
        };
        let last = response.map(|row| -> LastStatement {
            Box::new(move |connection| {
                let insert = diesel::insert_into(idempotency_keys::table).values(&row);
                insert.execute(connection).map(|_one| ())
            })
        });
        writing.commit(last, guard(in_flight_key.take())).await
    }

    /// Rolls back behind a statement that may still be running, and then releases the in-flight key.
    pub(super) fn roll_back(mut self, in_flight_key: Option<InFlightKey>) {
        match self.lent.take() {
            Some(Lent::Writing(writing)) => {
                if writing.sees_uncommitted() {
                    kernel::report_uncertain();
                }
                writing.roll_back(guard(in_flight_key));
            }
            Some(Lent::Reader(reader)) => reader.close(),
            None => {}
        }
    }
}

fn guard(in_flight_key: Option<InFlightKey>) -> Option<Guard> {
    in_flight_key.map(|in_flight_key| -> Guard { Box::new(in_flight_key) })
}

impl Drop for Pooled {
    fn drop(&mut self) {
        let is_clean = !self.in_transaction && !self.in_statement;
        match self.lent.take() {
            Some(Lent::Reader(reader)) if !is_clean => reader.close(),
            // A transaction that has not ended rolls back.
            _ => {}
        }
    }
}
