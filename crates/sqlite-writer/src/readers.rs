//! Connections that read what is committed.

use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{self, BuildError, Manager, Metrics, PoolError, RecycleResult, Status};
use diesel::ConnectionError;
use tokio::runtime::Handle;

use crate::connection::{Connection, Execution, Executor, Role, connect};

/// More readers than these would only wait for the same disk.
const MAX_READERS: usize = 8;

/// A pool of connections that read.
#[derive(Clone)]
pub struct Readers(managed::Pool<Connector>);

impl Readers {
    /// A pool that connects when it is first asked. Call it on the runtime whose blocking threads are to be
    /// used.
    ///
    /// # Errors
    /// When the pool cannot be built.
    pub fn new(path: &str, max: usize, acquire_timeout: Duration) -> Result<Self, BuildError> {
        let connector = Connector { path: path.to_owned(), runtime: Handle::current() };
        let pool = managed::Pool::builder(connector)
            .max_size(max.clamp(1, MAX_READERS))
            .wait_timeout(Some(acquire_timeout))
            .create_timeout(Some(acquire_timeout))
            .runtime(Runtime::Tokio1)
            .build()?;
        Ok(Self(pool))
    }

    /// A connection whose statements run there.
    ///
    /// # Errors
    /// When none is free in time, or none can be made.
    pub async fn get(&self, execution: Execution) -> Result<Reader, PoolError<ConnectionError>> {
        let pooled = self.0.get().await?;
        pooled.executor.set(execution);
        Ok(Reader(pooled))
    }

    /// How many connections there are, and how many wait for one.
    #[must_use]
    pub fn status(&self) -> Status {
        self.0.status()
    }
}

/// A connection out of the pool. Dropping it gives it back.
pub struct Reader(managed::Object<Connector>);

impl Reader {
    pub fn connection(&mut self) -> &mut Connection {
        &mut self.0.connection
    }

    /// Closes the connection: it has a transaction open, or is in the middle of a statement.
    pub fn close(self) {
        drop(managed::Object::take(self.0));
    }
}

struct Pooled {
    connection: Connection,
    executor: Executor,
}

/// Makes connections. One that may be damaged is closed by its user, so that those that come back are good.
struct Connector {
    path: String,
    runtime: Handle,
}

impl Manager for Connector {
    type Type = Pooled;
    type Error = ConnectionError;

    async fn create(&self) -> Result<Pooled, ConnectionError> {
        let path = self.path.clone();
        let made = self.runtime.spawn_blocking(move || connect(&path, Role::Reader)).await;
        let made = made.map_err(|error| ConnectionError::BadConnection(error.to_string()))??;
        let executor = Executor::new(self.runtime.clone());
        let connection = Connection::with_runtime(made, executor.clone());
        Ok(Pooled { connection, executor })
    }

    async fn recycle(&self, _: &mut Pooled, _: &Metrics) -> RecycleResult<ConnectionError> {
        Ok(())
    }
}
