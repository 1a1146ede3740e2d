//! Connections that read what is committed.

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

/// More readers than these would only wait for the same disk.
const MAX_READERS: usize = 8;

/// The readers of the file: a pool that all threads share, and one more for each serving thread.
///
/// A statement that runs on the thread that asks keeps that thread busy, so that one reader is enough for a
/// thread. That one is taken without a queue, and its cache holds the pages that all requests of the thread
/// need, which would else be read into the caches of eight.
#[derive(Clone)]
pub struct Readers {
    shared: managed::Pool<Connector>,
    of_threads: Arc<ThreadReaders>,
    own: Option<Arc<ThreadReader>>,
    pub(crate) short_reads: ShortReads,
}

/// How many readers there are, and how many wait for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadersStatus {
    /// The most that there may be.
    pub most: usize,
    /// Those that are open.
    pub open: usize,
    /// Those that are open and not lent.
    pub available: usize,
    /// How many wait for one.
    pub waiting: usize,
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
    /// It was not run to its end.
    #[error("the read panicked, or its snapshot could not begin")]
    NotRun,
}

impl Readers {
    /// Readers that connect when they are first asked. Call it on the runtime whose blocking threads are to
    /// be used.
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

    /// The same readers, with one of the calling thread's own. When as many threads have one as there are
    /// processors, this changes nothing.
    #[must_use]
    pub fn for_thread(&self) -> Self {
        Self { own: self.of_threads.add(), short_reads: ShortReads::default(), ..self.clone() }
    }

    /// A connection whose statements run there.
    ///
    /// # Errors
    /// When none is free in time, or none can be made.
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

    /// Runs a read that finds what it reads by an index, on the calling thread and in a snapshot that begins
    /// after this call. Requests of one thread that call this at the same time share the snapshot.
    ///
    /// # Errors
    /// A [`ReadError`].
    pub async fn read_short<R: Send + 'static>(
        &self,
        read: impl FnOnce(&mut SqliteConnection) -> QueryResult<R> + Send + 'static,
    ) -> Result<R, ReadError> {
        if self.own.is_none() {
            return self.read_alone(read).await;
        }
        let mut result = self.short_reads.ask(read).await;
        loop {
            // Another request may run it before there is a connection for this one.
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
            // Another thread runs it.
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
        // It may still be in the snapshot.
        Ok(result.inspect_err(|_error| reader.close())?)
    }

    /// How many connections there are, and how many wait for one.
    #[must_use]
    pub fn status(&self) -> ReadersStatus {
        let (shared, own) = (self.shared.status(), self.of_threads.status());
        ReadersStatus {
            most: shared.max_size.saturating_add(own.most),
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

/// A lent connection. Dropping it gives it back.
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

    /// Closes the connection: it has a transaction open, or is in the middle of a statement.
    pub fn close(self) {
        match self.0 {
            Lent::Shared(pooled) => drop(managed::Object::take(pooled)),
            Lent::Own(lent) => lent.close(),
        }
    }
}
