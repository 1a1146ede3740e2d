//! Opening connections, and the deadpool manager that does it for a pool.

use std::any::TypeId;
use std::collections::HashSet;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use deadpool::managed::{self, Manager, Metrics, RecycleError, RecycleResult};
use diesel::{ConnectionError, ConnectionResult};
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::address::DatabaseUrl;
use crate::options::{ConfigError, PoolOptions};
use crate::tls;

/// The server ends a transaction that is idle for this long, so that a hung process does not keep its locks.
const IDLE_IN_TRANSACTION: Duration = Duration::from_secs(30);

/// How long sent bytes may stay unacknowledged before the connection counts as lost. Without this limit, a
/// network that drops everything is noticed after a quarter of an hour.
pub(crate) const TCP_USER_TIMEOUT: Duration = Duration::from_secs(20);

/// How long a statement waits for a row that another transaction has locked, in milliseconds. The waiting
/// statement occupies a connection: one hung transaction must not occupy all of them.
const LOCK_TIMEOUT_MS: u32 = 3_000;

/// Opens connections to one database.
pub(crate) struct Connector {
    address: DatabaseUrl,
    tls: MakeRustlsConnect,
    /// The SQL with the settings of a pooled connection.
    settings: String,
    /// How many roll-backs run in the background.
    pub(crate) roll_backs: watch::Sender<usize>,
}

impl Connector {
    pub(crate) fn new(url: &str, options: &PoolOptions) -> Result<Self, ConfigError> {
        let mut address = DatabaseUrl::parse(url)?;
        if let Some((host, port)) = &options.server {
            address.replace_server(host, *port);
        }
        address.config.application_name(options.application_name);
        if address.config.get_connect_timeout().is_none() {
            address.config.connect_timeout(options.acquire_timeout);
        }
        if address.config.get_tcp_user_timeout().is_none() {
            address.config.tcp_user_timeout(TCP_USER_TIMEOUT);
        }
        Ok(Self {
            tls: tls::connector(&address, options.extra_ca_file.as_deref())?,
            address,
            settings: settings(options),
            roll_backs: watch::Sender::default(),
        })
    }

    /// A connection that receives notifications and has no time limits.
    pub(crate) async fn connect_without_limits(self: Arc<Self>) -> ConnectionResult<AsyncPgConnection> {
        let connected = self.address.config.connect(self.tls.clone()).await;
        let (client, driver) = connected.map_err(|source| bad_connection(&source))?;
        AsyncPgConnection::try_from_client_and_connection(client, driver).await
    }

    /// A connection with time limits. The runtime on which this is called drives its socket.
    pub(crate) async fn connect(self: Arc<Self>) -> ConnectionResult<Connection> {
        let connected = self.address.config.connect(self.tls.clone()).await;
        let (client, driver) = connected.map_err(|source| bad_connection(&source))?;
        let has_ended = Arc::new(AtomicBool::new(false));
        let on_end = SetOnDrop(has_ended.clone());
        let driver = tokio::spawn(async move {
            let _on_end = on_end;
            if let Err(source) = driver.await {
                tracing::warn!(reason = text(&source), "lost a connection to the database");
            }
        });
        let driver = AbortOnDrop(driver.abort_handle());
        let mut connection = AsyncPgConnection::try_from(client).await?;
        let set = connection.batch_execute(&self.settings).await;
        set.map_err(ConnectionError::CouldntSetupConfiguration)?;
        Ok(Connection {
            connection,
            has_ended,
            driver,
            prepared: HashSet::new(),
            runtime: Handle::current(),
            roll_backs: self.roll_backs.clone(),
        })
    }
}

/// The statement that sets time limits and the options' settings.
fn settings(options: &PoolOptions) -> String {
    let limits = [
        ("statement_timeout", options.statement_timeout.as_millis()),
        ("lock_timeout", u128::from(LOCK_TIMEOUT_MS)),
        ("idle_in_transaction_session_timeout", IDLE_IN_TRANSACTION.as_millis()),
    ];
    let limits = limits.iter().map(|(name, ms)| format!("SET {name} = {ms};"));
    let others = options.settings.iter().map(|(name, value)| format!("SET {name} = {value};"));
    limits.chain(others).collect()
}

/// An open connection.
pub(crate) struct Connection {
    connection: AsyncPgConnection,
    has_ended: Arc<AtomicBool>,
    driver: AbortOnDrop,
    /// The last statements that are prepared on this connection, by diesel's query id.
    pub(crate) prepared: HashSet<TypeId>,
    /// The runtime that drives its socket.
    pub(crate) runtime: Handle,
    /// How many roll-backs of all connections run in the background.
    pub(crate) roll_backs: watch::Sender<usize>,
}

impl Connection {
    /// Whether it was closed: by the server, by the network or by [`Connection::close`].
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    /// Closes the connection at once, without waiting for statements that were sent: the server rolls back
    /// everything uncommitted.
    pub(crate) fn close(&self) {
        self.has_ended.store(true, Ordering::Release);
        self.driver.0.abort();
    }
}

impl Deref for Connection {
    type Target = AsyncPgConnection;

    fn deref(&self) -> &AsyncPgConnection {
        &self.connection
    }
}

impl DerefMut for Connection {
    fn deref_mut(&mut self) -> &mut AsyncPgConnection {
        &mut self.connection
    }
}

struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Set when the task that drives a connection ends, for whatever reason.
struct SetOnDrop(Arc<AtomicBool>);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

pub(crate) type Object = managed::Object<ConnectionManager>;
pub(crate) type Connections = managed::Pool<ConnectionManager>;

/// Opens a pool's connections on one runtime, which drives their sockets.
pub(crate) struct ConnectionManager {
    pub(crate) connector: Arc<Connector>,
    pub(crate) runtime: Handle,
}

impl Manager for ConnectionManager {
    type Type = Connection;
    type Error = ConnectionError;

    async fn create(&self) -> Result<Connection, ConnectionError> {
        let connected = self.runtime.spawn(self.connector.clone().connect());
        connected.await.unwrap_or_else(|source| Err(bad_connection(&source)))
    }

    /// Whether a connection is still open is known without a round trip to the server.
    async fn recycle(&self, connection: &mut Connection, _: &Metrics) -> RecycleResult<ConnectionError> {
        if connection.has_ended() {
            return Err(RecycleError::message("the connection has ended"));
        }
        Ok(())
    }
}

pub(crate) fn bad_connection(source: &(dyn std::error::Error + 'static)) -> ConnectionError {
    ConnectionError::BadConnection(text(source))
}

/// An error with its sources: tokio-postgres' own message leaves out the cause.
fn text(source: &(dyn std::error::Error + 'static)) -> String {
    let mut text = source.to_string();
    let mut inner = source.source();
    while let Some(source) = inner {
        text = format!("{text}: {source}");
        inner = source.source();
    }
    text
}
