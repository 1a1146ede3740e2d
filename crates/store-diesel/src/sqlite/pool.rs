//! SQLite's connections: one that writes, several that read.
//!
//! SQLite has one writer at a time. With a single writing connection the queue for it is a fair one in this process, rather than
//! a race of retries inside the database; readers never wait for it (write-ahead log).

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{self, Manager, Metrics, RecycleResult};
use diesel::connection::SimpleConnection;
use diesel::{Connection as _, ConnectionError, SqliteConnection};
use diesel_async::sync_connection_wrapper::SyncConnectionWrapper;
use kernel::StoreError;
use tokio::runtime::Handle;

use super::dialect::Connection;
use super::on_handle::OnHandle;
use super::queries::Lease;
use crate::StoreOptions;
use crate::errors::pool_error;
use crate::open::OpenError;
use crate::ports::PoolStatus;

/// More readers than this only wait for the same disk.
const MOST_READERS: usize = 8;

/// How long SQLite itself waits for a lock that another process has.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

pub(super) type Object = managed::Object<Connector>;

/// The connections to one file.
#[derive(Clone)]
pub(super) struct Pool {
    path: String,
    writer: managed::Pool<Connector>,
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
            writer: connections(path, Role::Writer, 1, options, &runtime)?,
            readers: connections(path, Role::Reader, readers, options, &runtime)?,
            runtime,
        };
        // The writer makes the file what the readers expect to find.
        let writer = pool.write().await;
        writer.map_err(|source| OpenError::Open(source.into()))?;
        Ok(pool)
    }

    /// A connection to read what is committed.
    pub(super) async fn read(&self) -> Result<Lease, StoreError> {
        let object = self.readers.get().await.map_err(pool_error)?;
        Ok(Lease::new(object, self.runtime.clone()))
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
        let object = self.writer.get().await.map_err(pool_error)?;
        Ok(Lease::new(object, self.runtime.clone()))
    }

    /// The connection that writes, with a transaction begun.
    pub(super) async fn begin(&self) -> Result<Lease, StoreError> {
        let mut lease = self.write().await?;
        lease.begin().await?;
        Ok(lease)
    }

    pub(super) fn status(&self) -> PoolStatus {
        let (writer, readers) = (self.writer.status(), self.readers.status());
        PoolStatus {
            most: writer.max_size.saturating_add(readers.max_size),
            size: writer.size.saturating_add(readers.size),
            available: writer.available.saturating_add(readers.available),
            waiting: writer.waiting.saturating_add(readers.waiting),
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

/// Makes the file, if it is not there, for its owner alone. SQLite gives the files beside it the same mode.
fn make_private(path: &str) -> std::io::Result<()> {
    let made = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(path);
    made.map(|_file| ())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Writer,
    Reader,
}

fn connections(
    path: &str,
    role: Role,
    most: usize,
    options: &StoreOptions,
    runtime: &Handle,
) -> Result<managed::Pool<Connector>, OpenError> {
    let connector = Connector {
        path: path.to_owned(),
        role,
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
    role: Role,
    runtime: Handle,
}

impl Manager for Connector {
    type Type = Connection;
    type Error = ConnectionError;

    async fn create(&self) -> Result<Connection, ConnectionError> {
        let (path, role) = (self.path.clone(), self.role);
        let made = self.runtime.spawn_blocking(move || connect(&path, role));
        let made = made
            .await
            .map_err(|source| ConnectionError::BadConnection(source.to_string()))??;
        let runtime = OnHandle(self.runtime.clone());
        Ok(SyncConnectionWrapper::with_runtime(made, runtime))
    }

    async fn recycle(&self, _: &mut Connection, _: &Metrics) -> RecycleResult<ConnectionError> {
        Ok(())
    }
}

fn connect(path: &str, role: Role) -> Result<SqliteConnection, ConnectionError> {
    let mut connection = SqliteConnection::establish(path)?;
    // First of all, since the others may already have to wait.
    let busy = format!("PRAGMA busy_timeout = {};", BUSY_TIMEOUT.as_millis());
    let rest = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
                PRAGMA temp_store = MEMORY;";
    // In KiB. The one that writes gains from it: the caches of the others are void after each of its commits.
    let own = match role {
        Role::Writer => "PRAGMA cache_size = -8192;",
        Role::Reader => "PRAGMA cache_size = -1024; PRAGMA query_only = ON;",
    };
    for pragmas in [busy.as_str(), rest, own] {
        connection
            .batch_execute(pragmas)
            .map_err(ConnectionError::CouldntSetupConfiguration)?;
    }
    Ok(connection)
}
