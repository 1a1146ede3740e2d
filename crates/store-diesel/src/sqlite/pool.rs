//! SQLite's connections: one that writes, several that read.
//!
//! SQLite has one writer at a time. With a single writing connection the queue for it is a fair one in this process (see
//! [`writer`](super::writer)), rather than a race of retries inside the database; readers never wait for it (write-ahead log).

use std::path::Path;

use deadpool::Runtime;
use deadpool::managed::{self, Manager, Metrics, RecycleResult};
use diesel::{ConnectionError, QueryResult, SqliteConnection};
use kernel::StoreError;
use tokio::runtime::Handle;

use super::blocking::Place;
use super::connect::{Role, connect, make_private};
use super::dialect::Connection;
use super::messages::Wish;
pub(super) use super::pooled::Pooled;
use super::queries::Lease;
use super::turn::Turn;
use super::writer::Writer;
use crate::StoreOptions;
use crate::errors::pool_error;
use crate::open::OpenError;
use crate::ports::PoolStatus;

/// More readers than this only wait for the same disk.
const MOST_READERS: usize = 8;

/// What is lent.
pub(super) enum Object {
    /// A connection that reads.
    Reader(managed::Object<Connector>),
    /// The one that writes.
    Turn(Turn),
}

/// The connections to one file.
#[derive(Clone)]
pub(super) struct Pool {
    path: String,
    writer: Writer,
    readers: managed::Pool<Connector>,
    runtime: Handle,
}

impl Pool {
    /// Opens the file, and makes it and its folder if they are not there.
    pub(super) async fn open(path: &str, options: &StoreOptions) -> Result<Self, OpenError> {
        let runtime = Handle::current();
        let folder = Path::new(path).parent().map(Path::to_owned);
        if let Some(folder) = folder.filter(|folder| !folder.as_os_str().is_empty()) {
            let made = runtime.spawn_blocking(move || std::fs::create_dir_all(folder));
            made.await
                .map_err(|source| OpenError::Open(source.into()))?
                .map_err(|source| OpenError::Open(source.into()))?;
        }
        let file = path.to_owned();
        let made = runtime.spawn_blocking(move || make_private(&file));
        made.await
            .map_err(|source| OpenError::Open(source.into()))?
            .map_err(|source| OpenError::Open(source.into()))?;
        let readers = options.max_connections.clamp(1, MOST_READERS);
        let pool = Self {
            path: path.to_owned(),
            writer: Writer::start(path, options.acquire_timeout)?,
            readers: connections(path, readers, options, &runtime)?,
            runtime,
        };
        // The writer makes the file what the readers expect to find.
        let writer = pool.write().await;
        writer.map_err(|source| OpenError::Open(source.into()))?;
        Ok(pool)
    }

    /// The same pool: every thread uses the same connections.
    pub(super) fn for_thread(&self) -> Self {
        self.clone()
    }

    /// A connection to read what is committed.
    pub(super) async fn read(&self) -> Result<Lease, StoreError> {
        let object = self.readers.get().await.map_err(pool_error)?;
        Ok(Lease::new(Pooled::new(Object::Reader(object), false)))
    }

    /// The same: here all connections are shared.
    pub(super) async fn read_shared(&self) -> Result<Lease, StoreError> {
        self.read().await
    }

    /// Where to run a query that finds one row by its unique key: here on a connection like any other.
    pub(super) async fn point_read(&self) -> Result<Lease, StoreError> {
        self.read().await
    }

    /// The connection that writes, for one statement that is a transaction of its own.
    pub(super) async fn write(&self) -> Result<Lease, StoreError> {
        let (turn, _nothing_done) = self.writer.turn(Wish::Statement, |_| Ok(())).await?;
        Ok(Lease::new(Pooled::new(Object::Turn(turn), false)))
    }

    /// The connection that writes, with a transaction begun.
    pub(super) async fn begin(&self) -> Result<Lease, StoreError> {
        let (turn, _nothing_done) = self.writer.turn(Wish::Transaction, |_| Ok(())).await?;
        Ok(Lease::new(Pooled::new(Object::Turn(turn), true)))
    }

    /// The same with some work done, for a transaction that may be committed along with others: it must not let anybody believe what it saw
    /// of them unless it commits.
    pub(super) async fn begin_with<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SqliteConnection) -> QueryResult<R> + Send + 'static,
    ) -> Result<(Lease, QueryResult<R>), StoreError> {
        let (turn, done) = self.writer.turn(Wish::Joining, work).await?;
        let lease = Lease::new(Pooled::new(Object::Turn(turn), true));
        Ok((lease, done))
    }

    pub(super) fn status(&self) -> PoolStatus {
        let readers = self.readers.status();
        PoolStatus {
            // The writer is always there.
            most: readers.max_size.saturating_add(1),
            size: readers.size.saturating_add(1),
            available: readers
                .available
                .saturating_add(usize::from(!self.writer.is_lent())),
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

fn connections(
    path: &str,
    most: usize,
    options: &StoreOptions,
    runtime: &Handle,
) -> Result<managed::Pool<Connector>, OpenError> {
    let connector = Connector {
        path: path.to_owned(),
        runtime: runtime.clone(),
    };
    managed::Pool::builder(connector)
        .max_size(most)
        .wait_timeout(Some(options.acquire_timeout))
        .create_timeout(Some(options.acquire_timeout))
        .runtime(Runtime::Tokio1)
        .build()
        .map_err(|source| OpenError::Open(source.into()))
}

/// Makes connections. What can go wrong with one has its lease close it, so that those that come back are good.
pub(super) struct Connector {
    path: String,
    runtime: Handle,
}

impl Manager for Connector {
    type Type = Connection;
    type Error = ConnectionError;

    async fn create(&self) -> Result<Connection, ConnectionError> {
        let path = self.path.clone();
        let made = self
            .runtime
            .spawn_blocking(move || connect(&path, Role::Reader));
        let made = made
            .await
            .map_err(|source| ConnectionError::BadConnection(source.to_string()))??;
        let place = Place::Anywhere(self.runtime.clone());
        Ok(Connection::with_runtime(made, place))
    }

    async fn recycle(&self, _: &mut Connection, _: &Metrics) -> RecycleResult<ConnectionError> {
        Ok(())
    }
}
