//! Connections that read what is committed.

use std::sync::Arc;
use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{self, BuildError, PoolError};
use diesel::result::Error;
use diesel::{ConnectionError, QueryResult, SqliteConnection};
use tokio::runtime::Handle;

use crate::connection::{Connection, Execution};
use crate::connector::Connector;
use crate::short_reads::{ReadError, ShortReads};
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
    short_reads: ShortReads,
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

    /// Reads on the calling thread what is found by an index, in a snapshot that begins after this call: the
    /// one in which the thread's other requests read that ask at the same time.
    ///
    /// # Errors
    /// When there is no connection, or a statement failed.
    pub async fn read_short<R: Send + 'static>(
        &self,
        read: impl FnOnce(&mut SqliteConnection) -> QueryResult<R> + Send + 'static,
    ) -> Result<R, ReadError> {
        let found = self.short_reads.ask(read).await;
        if !found.is_there() {
            self.read_what_was_asked().await?;
        }
        Ok(found.get().await?)
    }

    async fn read_what_was_asked(&self) -> Result<(), ReadError> {
        let mut reader = self.get(Execution::CallingThread).await?;
        let read = self.short_reads.take();
        let done = match reader.connection() {
            Some(connection) => connection.spawn_blocking(read).await,
            None => Err(Error::BrokenTransactionManager),
        };
        // It may still be in the snapshot.
        done.inspect_err(|_error| reader.close())?;
        Ok(())
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
