//! Makes the connections that read.

use deadpool::managed::{Manager, Metrics, RecycleResult};
use diesel::ConnectionError;
use tokio::runtime::Handle;

use crate::connection::{Connection, Executor, Role, connect};

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
    /// A connection for this role, with what sets where its statements run: at first on the thread that asks.
    pub(crate) async fn connect(&self, role: Role) -> Result<(Connection, Executor), ConnectionError> {
        let path = self.path.clone();
        let made = self.runtime.spawn_blocking(move || connect(&path, role)).await;
        let made = made.map_err(|error| ConnectionError::BadConnection(error.to_string()))??;
        let executor = Executor::new(self.runtime.clone());
        Ok((Connection::with_runtime(made, executor.clone()), executor))
    }
}

impl Manager for Connector {
    type Type = Pooled;
    type Error = ConnectionError;

    async fn create(&self) -> Result<Pooled, ConnectionError> {
        let (connection, executor) = self.connect(Role::Reader).await?;
        Ok(Pooled { connection, executor })
    }

    async fn recycle(&self, _: &mut Pooled, _: &Metrics) -> RecycleResult<ConnectionError> {
        Ok(())
    }
}
