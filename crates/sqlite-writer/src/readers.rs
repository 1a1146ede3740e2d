//! Connections that read committed data.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{self, BuildError, PoolError};
use diesel::result::Error;
use diesel::{ConnectionError, QueryResult, SqliteConnection};
use futures_util::future::{Either, select};
use tokio::runtime::Handle;

use crate::connection::{Connection, Execution};
use crate::connector::Connector;
use crate::short_reads::{ShortReads, in_snapshot};
use crate::thread_reader::{LentThreadReader, ThreadReader, ThreadReaders};

/// More readers would only wait for the same disk.
const MAX_READERS: usize = 8;

/// The readers of the file: a pool that all threads share, and one more for each serving thread.
///
/// A statement that runs on the calling thread keeps that thread busy, so one reader is enough for a thread.
/// A thread's own reader is taken without a queue, and its cache holds the pages that all requests of the
/// thread need, which otherwise would be read into eight caches.
#[derive(Clone)]
pub struct Readers {
    shared: managed::Pool<Connector>,
    of_threads: Arc<ThreadReaders>,
    own: Option<Arc<ThreadReader>>,
    pub(crate) short_reads: ShortReads,
}

/// How many readers there are, and how many callers wait for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadersStatus {
    /// The maximum number of readers.
    pub max_connections: usize,
    /// The number of open readers.
    pub open: usize,
    /// How many of them are not lent.
    pub available: usize,
    /// How many callers wait for a reader.
    pub waiting: usize,
}

/// Why a read failed.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// No connection could be opened, or none became free in time.
    #[error(transparent)]
    Connect(#[from] PoolError<ConnectionError>),
    /// A statement failed.
    #[error(transparent)]
    Read(#[from] Error),
    /// The read did not run to its end.
    #[error("the read panicked, or its snapshot could not begin")]
    NotRun,
}

impl Readers {
    /// Readers that connect when they are first used. Call this on the runtime whose blocking threads they
    /// use.
    ///
    /// # Errors
    /// When the pool cannot be built.
    pub fn new(path: &str, max: usize, acquire_timeout: Duration) -> Result<Self, BuildError> {
        let connector = Connector { path: path.to_owned(), runtime: Handle::current() };
        let max = max.clamp(1, MAX_READERS);
        let shared = managed::Pool::builder(connector.clone())
            .max_size(max)
            .wait_timeout(Some(acquire_timeout))
            .create_timeout(Some(acquire_timeout))
            .runtime(Runtime::Tokio1)
            .build()?;
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let of_threads = Arc::new(ThreadReaders::new(connector, threads.min(max)));
        Ok(Self { shared, of_threads, own: None, short_reads: ShortReads::default() })
    }

    /// The same readers, with an additional one for the calling thread alone. When as many threads have one
    /// as there are processors, this adds none.
    #[must_use]
    pub fn for_thread(&self) -> Self {
        Self { own: self.of_threads.add(), short_reads: ShortReads::default(), ..self.clone() }
    }

    /// A connection whose statements run as `execution` says.
    ///
    /// # Errors
    /// When no connection becomes free in time, or none can be opened.
    pub async fn get(&self, execution: Execution) -> Result<Reader, PoolError<ConnectionError>> {
        if execution == Execution::CallingThread
            && let Some(own) = &self.own
            && let Some(lent) = own.try_get().await
        {
            return Ok(Reader(Lent::Own(lent)));
        }
        let pooled = self.shared.get().await?;
        pooled.executor.set(execution);
        Ok(Reader(Lent::Shared(pooled)))
    }

    /// Runs a read that finds its rows by an index, on the calling thread and in a snapshot that begins after
    /// this call. Concurrent calls of one thread's requests share the snapshot.
    pub async fn read_short<R: Send + 'static>(
        &self,
        read: impl FnOnce(&mut SqliteConnection) -> QueryResult<R> + Send + 'static,
    ) -> Result<R, ReadError> {
        if self.own.is_none() {
            return self.read_alone(read).await;
        }
        let mut result = self.short_reads.ask(read).await;
        loop {
            // Another request may run this read before this one gets a connection.
            match select(&mut result, pin!(self.run_short_reads())).await {
                Either::Left((result, _)) => return Ok(result.map_err(|_dropped| ReadError::NotRun)??),
                Either::Right((Ok(()), _)) => {}
                Either::Right((Err(error), _)) => {
                    drop(result);
                    self.short_reads.remove_abandoned();
                    return Err(error);
                }
            }
        }
    }

    async fn run_short_reads(&self) -> Result<(), ReadError> {
        let mut reader = self.get(Execution::CallingThread).await?;
        let batch = self.short_reads.take();
        if batch.is_empty() {
            // Another thread runs the read.
            tokio::task::yield_now().await;
            return Ok(());
        }
        let Some(connection) = reader.connection() else {
            return Err(ReadError::NotRun);
        };
        let is_usable = connection.spawn_blocking(|connection| Ok(batch.run(connection))).await;
        if !matches!(is_usable, Ok(true)) {
            reader.close();
        }
        Ok(is_usable.map(drop)?)
    }

    async fn read_alone<R: Send + 'static>(
        &self,
        read: impl FnOnce(&mut SqliteConnection) -> QueryResult<R> + Send + 'static,
    ) -> Result<R, ReadError> {
        let mut reader = self.get(Execution::CallingThread).await?;
        let connection = reader.connection().ok_or(ReadError::NotRun)?;
        let result = connection.spawn_blocking(|connection| in_snapshot(connection, read)).await;
        // After an error the connection may still be in the snapshot.
        Ok(result.inspect_err(|_error| reader.close())?)
    }

    /// The number of connections, and of callers that wait for one.
    #[must_use]
    pub fn status(&self) -> ReadersStatus {
        let (shared, own) = (self.shared.status(), self.of_threads.status());
        ReadersStatus {
            max_connections: shared.max_size.saturating_add(own.max_connections),
            open: shared.size.saturating_add(own.open),
            available: shared.available.saturating_add(own.available),
            waiting: shared.waiting,
        }
    }

    #[cfg(test)]
    pub(crate) fn shared_open(&self) -> usize {
        self.shared.status().size
    }
}

/// A lent connection. Dropping it returns it.
pub struct Reader(Lent);

enum Lent {
    Shared(managed::Object<Connector>),
    Own(LentThreadReader),
}

impl Reader {
    pub fn connection(&mut self) -> Option<&mut Connection> {
        match &mut self.0 {
            Lent::Shared(pooled) => Some(&mut pooled.connection),
            Lent::Own(lent) => lent.connection(),
        }
    }

    #[cfg(test)]
    pub(crate) const fn is_shared(&self) -> bool {
        matches!(self.0, Lent::Shared(_))
    }

    /// Closes the connection, for one that has an open transaction or is in the middle of a statement.
    pub fn close(self) {
        match self.0 {
            Lent::Shared(pooled) => drop(managed::Object::take(pooled)),
            Lent::Own(lent) => lent.close(),
        }
    }
}
