//! Makes the connections that read.

use deadpool::managed::{Manager, Metrics, RecycleResult};
use diesel::ConnectionError;
use tokio::runtime::Handle;

use crate::connection::{Connection, Executor, Role, connect};

/// What a shared reader may keep of the file, in KiB. Up to eight of them each fill their own cache while the
/// file of all invoices of an account is read, and keep it.
const SHARED_CACHE_KIB: usize = 512;

/// A connection of the shared pool.
pub(crate) struct Pooled {
    pub(crate) connection: Connection,
    pub(crate) executor: Executor,
}

/// Makes connections. One that may be damaged is closed by its user, so that those that come back are good.
#[derive(Clone)]
pub(crate) struct Connector {
    pub(crate) path: String,
    pub(crate) runtime: Handle,
}

impl Connector {
    /// A reader, with what sets where its statements run: at first on the thread that asks.
    pub(crate) async fn connect(&self, cache_kib: usize) -> Result<(Connection, Executor), ConnectionError> {
        let path = self.path.clone();
        let made = self.runtime.spawn_blocking(move || connect(&path, Role::Reader { cache_kib })).await;
        let made = made.map_err(|error| ConnectionError::BadConnection(error.to_string()))??;
        let executor = Executor::new(self.runtime.clone());
        Ok((Connection::with_runtime(made, executor.clone()), executor))
    }
}

impl Manager for Connector {
    type Type = Pooled;
    type Error = ConnectionError;

    async fn create(&self) -> Result<Pooled, ConnectionError> {
        let (connection, executor) = self.connect(SHARED_CACHE_KIB).await?;
        Ok(Pooled { connection, executor })
    }

    async fn recycle(&self, _: &mut Pooled, _: &Metrics) -> RecycleResult<ConnectionError> {
        Ok(())
    }
}
