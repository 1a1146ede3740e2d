//! PostgreSQL's connections.
//!
//! Each is made, and from then on driven, by the runtime that opened the store: the workers that ask come and go with runtimes of
//! their own, which may be waiting for something else just when the connection has an answer.

use std::sync::Arc;
use std::time::Duration;

use deadpool::Runtime;
use diesel::{ConnectionError, ConnectionResult};
use diesel_async::pooled_connection::deadpool as managed;
use diesel_async::pooled_connection::{
    AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod,
};
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use futures_util::FutureExt;
use kernel::StoreError;
use tokio::runtime::Handle;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::queries::Lease;
use super::tls;
use super::url::Address;
use crate::StoreOptions;
use crate::errors::pool_error;
use crate::open::OpenError;
use crate::ports::PoolStatus;

pub(super) type Object = managed::Object<AsyncPgConnection>;

/// The server ends a transaction that nobody goes on with, so that a process that hangs does not hold its locks for ever.
const IDLE_IN_TRANSACTION: Duration = Duration::from_secs(30);

/// The connections to one database.
#[derive(Clone)]
pub(super) struct Pool {
    connections: managed::Pool<AsyncPgConnection>,
    connector: Arc<Connector>,
    runtime: Handle,
}

/// How long a statement waits for a row that another transaction holds, in milliseconds. Whoever waits keeps a connection from everybody
/// else: one hung transaction of one account must not take them all.
const LOCK_TIMEOUT_MS: u32 = 3_000;

/// Makes connections.
struct Connector {
    address: Address,
    tls: MakeRustlsConnect,
    statement_timeout: Duration,
}

impl Pool {
    /// A pool that connects when a connection is first asked for.
    pub(super) fn new(url: &str, options: &StoreOptions) -> Result<Self, OpenError> {
        let runtime = Handle::current();
        let mut address = Address::parse(url)?;
        address.config.application_name("countinghouse");
        if address.config.get_connect_timeout().is_none() {
            address.config.connect_timeout(options.acquire_timeout);
        }
        let connector = Arc::new(Connector {
            tls: tls::connector(&address, options.extra_ca_file.as_deref())?,
            address,
            statement_timeout: options.statement_timeout,
        });
        let mut manager = ManagerConfig::default();
        // Whether a connection is still open is known without asking the server: that would be a round trip for each request.
        manager.recycling_method = RecyclingMethod::Fast;
        manager.custom_setup = Box::new({
            let (connector, runtime) = (connector.clone(), runtime.clone());
            move |_url| {
                let made = runtime.spawn(connector.clone().connect_for_requests());
                async move { made.await.unwrap_or_else(|source| Err(bad(&source))) }.boxed()
            }
        });
        // The URL is in the connector, and nowhere else: it holds the password.
        let manager = AsyncDieselConnectionManager::new_with_config(String::new(), manager);
        let connections = managed::Pool::builder(manager)
            .max_size(options.max_connections.max(1))
            .wait_timeout(Some(options.acquire_timeout))
            .create_timeout(Some(options.acquire_timeout))
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|source| OpenError::Open(source.into()))?;
        Ok(Self {
            connections,
            connector,
            runtime,
        })
    }

    /// A connection to read what is committed.
    pub(super) async fn read(&self) -> Result<Lease, StoreError> {
        let object = self.connections.get().await.map_err(pool_error)?;
        Ok(Lease::new(object, self.runtime.clone()))
    }

    /// A connection for one statement that is a transaction of its own.
    pub(super) async fn write(&self) -> Result<Lease, StoreError> {
        self.read().await
    }

    /// A connection with a transaction begun.
    pub(super) async fn begin(&self) -> Result<Lease, StoreError> {
        let mut lease = self.read().await?;
        lease.begin().await?;
        Ok(lease)
    }

    pub(super) fn status(&self) -> PoolStatus {
        let status = self.connections.status();
        PoolStatus {
            most: status.max_size,
            size: status.size,
            available: status.available,
            waiting: status.waiting,
        }
    }

    /// A connection beside the pool, without time limits.
    pub(super) async fn connect_aside(&self) -> Result<AsyncPgConnection, StoreError> {
        let made = self.runtime.spawn(self.connector.clone().connect());
        let made = made.await.unwrap_or_else(|source| Err(bad(&source)));
        made.map_err(|source| StoreError::Unavailable(source.into()))
    }

    pub(super) const fn runtime(&self) -> &Handle {
        &self.runtime
    }
}

impl Connector {
    async fn connect(self: Arc<Self>) -> ConnectionResult<AsyncPgConnection> {
        let connected = self.address.config.connect(self.tls.clone()).await;
        let (client, connection) = connected.map_err(|source| bad(&source))?;
        AsyncPgConnection::try_from_client_and_connection(client, connection).await
    }

    async fn connect_for_requests(self: Arc<Self>) -> ConnectionResult<AsyncPgConnection> {
        let limits = format!(
            "SET statement_timeout = {}; SET lock_timeout = {LOCK_TIMEOUT_MS}; SET idle_in_transaction_session_timeout = {}",
            self.statement_timeout.as_millis(),
            IDLE_IN_TRANSACTION.as_millis(),
        );
        let mut connection = self.connect().await?;
        connection
            .batch_execute(&limits)
            .await
            .map_err(ConnectionError::CouldntSetupConfiguration)?;
        Ok(connection)
    }
}

fn bad(source: &(dyn std::error::Error + 'static)) -> ConnectionError {
    // tokio-postgres says what went wrong only in the sources of its errors.
    let mut text = source.to_string();
    let mut inner = source.source();
    while let Some(source) = inner {
        text = format!("{text}: {source}");
        inner = source.source();
    }
    ConnectionError::BadConnection(text)
}
