//! Opens the connections for reads.

use deadpool::managed::{Manager, Metrics, RecycleResult};
use diesel::ConnectionError;
use tokio::runtime::Handle;

use crate::connection::{Connection, Executor, Role, connect};

/// The page cache of a shared reader, in KiB. Up to eight of them each fill a cache of their own when all
/// invoices of an account are read, and keep it.
const SHARED_CACHE_KIB: usize = 512;

/// A connection of the shared pool.
pub(crate) struct SharedConnection {
    pub(crate) connection: Connection,
    pub(crate) executor: Executor,
}

/// Opens connections. A user closes a connection that may be damaged, so that only intact ones return to the
/// pool.
#[derive(Clone)]
pub(crate) struct Connector {
    pub(crate) path: String,
    pub(crate) runtime: Handle,
}

impl Connector {
    /// A reader, and the executor that sets where its statements run: at first on the calling thread.
    pub(crate) async fn connect(&self, cache_kib: usize) -> Result<(Connection, Executor), ConnectionError> {
        let path = self.path.clone();
        let made = self.runtime.spawn_blocking(move || connect(&path, Role::Reader { cache_kib })).await;
        let made = made.map_err(|error| ConnectionError::BadConnection(error.to_string()))??;
        let executor = Executor::new(self.runtime.clone());
        Ok((Connection::with_runtime(made, executor.clone()), executor))
    }
}

impl Manager for Connector {
    type Type = SharedConnection;
    type Error = ConnectionError;

    async fn create(&self) -> Result<SharedConnection, ConnectionError> {
        let (connection, executor) = self.connect(SHARED_CACHE_KIB).await?;
        Ok(SharedConnection { connection, executor })
    }

    async fn recycle(&self, _: &mut SharedConnection, _: &Metrics) -> RecycleResult<ConnectionError> {
        Ok(())
    }
}
