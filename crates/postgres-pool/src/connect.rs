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
use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::address::DatabaseUrl;
use crate::options::{ConfigError, PoolOptions};
use crate::tls;

/// The server ends a transaction that is idle for this long, so that a hung process does not keep its locks.
const IDLE_IN_TRANSACTION: Duration = Duration::from_secs(30);

/// How long sent bytes may stay unacknowledged before the connection counts as lost. Without this limit, a
/// network that drops everything is noticed after a quarter of an hour.
pub(crate) const TCP_USER_TIMEOUT: Duration = Duration::from_secs(20);

/// How long a connection is silent before the network is asked whether the server is still there, and how
/// long that waits for an answer before it asks again. A host that loses its power while it works on a
/// statement sends nothing, and no sent bytes are unacknowledged: without these questions the statement, and
/// the worker that waits for it, would notice after two hours.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(10);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);

/// How long a statement waits for a row that another transaction has locked, in milliseconds. The waiting
/// statement occupies a connection: one hung transaction must not occupy all of them.
const LOCK_TIMEOUT_MS: u32 = 3_000;

/// Has the server write its messages in English, in which failures are told apart. PostgreSQL allows this to
/// superusers only, and would refuse the whole statement to others.
const ENGLISH: &str =
    "SELECT set_config('lc_messages', 'C', false) WHERE current_setting('is_superuser') = 'on';";

const NO_ANSWER: &str = "no server answered in time";

/// The connection to the server, which has to be driven.
type SignedIn = tokio_postgres::Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

/// Opens connections to one database.
pub(crate) struct Connector {
    address: DatabaseUrl,
    tls: MakeRustlsConnect,
    /// How long connecting may take, TLS and sign-in included. The driver's own limit is for TCP alone: a
    /// proxy that accepts and never answers would keep each attempt open.
    timeout: Duration,
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
        set_defaults(&mut address, options);
        Ok(Self {
            tls: tls::connector(&address, options.extra_ca_file.as_deref())?,
            address,
            timeout: options.acquire_timeout,
            settings: settings(options),
            roll_backs: watch::Sender::default(),
        })
    }

    /// A connection that receives notifications and has no time limits.
    pub(crate) async fn connect_without_limits(self: Arc<Self>) -> ConnectionResult<AsyncPgConnection> {
        let (client, driver) = self.in_time(self.sign_in()).await?;
        let mut connection = AsyncPgConnection::try_from_client_and_connection(client, driver).await?;
        set(&mut connection, ENGLISH).await?;
        Ok(connection)
    }

    /// A connection with time limits. The runtime on which this is called drives its socket.
    pub(crate) async fn connect(self: Arc<Self>) -> ConnectionResult<Connection> {
        self.in_time(self.connect_with_limits()).await
    }

    async fn connect_with_limits(&self) -> ConnectionResult<Connection> {
        let (client, driver) = self.sign_in().await?;
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
        set(&mut connection, &self.settings).await?;
        Ok(Connection {
            connection,
            has_ended,
            driver,
            prepared: HashSet::new(),
            runtime: Handle::current(),
            roll_backs: self.roll_backs.clone(),
        })
    }

    async fn sign_in(&self) -> ConnectionResult<(Client, SignedIn)> {
        let connected = self.address.config.connect(self.tls.clone()).await;
        connected.map_err(|source| bad_connection(&source))
    }

    async fn in_time<T>(&self, connecting: impl Future<Output = ConnectionResult<T>>) -> ConnectionResult<T> {
        match tokio::time::timeout(self.timeout, connecting).await {
            Ok(connected) => connected,
            Err(_elapsed) => Err(ConnectionError::BadConnection(NO_ANSWER.to_owned())),
        }
    }
}

/// Sets what the URL may set and does not.
fn set_defaults(address: &mut DatabaseUrl, options: &PoolOptions) {
    let DatabaseUrl { config, parameters, .. } = address;
    let is_unset = |name: &str| !parameters.iter().any(|parameter| parameter == name);
    config.application_name(options.application_name);
    if is_unset("connect_timeout") {
        // Of each address: when the first ones are silent, there must be time left for the next.
        let hosts = u32::try_from(config.get_hosts().len()).unwrap_or(u32::MAX);
        config.connect_timeout(options.acquire_timeout / hosts.saturating_add(1));
    }
    if is_unset("tcp_user_timeout") {
        config.tcp_user_timeout(TCP_USER_TIMEOUT);
    }
    if is_unset("keepalives_idle") {
        config.keepalives_idle(KEEPALIVE_IDLE);
    }
    if is_unset("keepalives_interval") {
        config.keepalives_interval(KEEPALIVE_INTERVAL);
    }
    // A server that only reads is the wrong one: after a failover its name may still lead to the old primary.
    if is_unset("target_session_attrs") {
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    }
}

async fn set(connection: &mut AsyncPgConnection, settings: &str) -> ConnectionResult<()> {
    connection.batch_execute(settings).await.map_err(ConnectionError::CouldntSetupConfiguration)
}

/// The statements that set the messages' language, time limits and the options' settings.
fn settings(options: &PoolOptions) -> String {
    let limits = [
        ("statement_timeout", options.statement_timeout.as_millis()),
        ("lock_timeout", u128::from(LOCK_TIMEOUT_MS)),
        ("idle_in_transaction_session_timeout", IDLE_IN_TRANSACTION.as_millis()),
    ];
    let limits = limits.iter().map(|(name, ms)| format!("SET {name} = {ms};"));
    let others = options.settings.iter().map(|(name, value)| format!("SET {name} = {value};"));
    std::iter::once(ENGLISH.to_owned()).chain(limits).chain(others).collect()
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

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;
    use tokio_postgres::Config;

    use super::*;

    fn config_of(url: &str) -> Config {
        Connector::new(url, &PoolOptions::default()).unwrap().address.config.clone()
    }

    #[test]
    fn server_that_falls_silent_is_noticed_within_half_a_minute_unless_the_url_says_otherwise() {
        let config = config_of("postgres://u@localhost/x");
        assert_eq!(config.get_keepalives_idle(), KEEPALIVE_IDLE);
        assert_eq!(config.get_keepalives_interval(), Some(KEEPALIVE_INTERVAL));
        assert_eq!(config.get_tcp_user_timeout(), Some(&TCP_USER_TIMEOUT));
        let config = config_of("postgres://u@localhost/x?keepalives_idle=7200&target_session_attrs=any");
        assert_eq!(config.get_keepalives_idle(), Duration::from_hours(2));
        assert_eq!(config.get_target_session_attrs(), TargetSessionAttrs::Any);
    }

    #[tokio::test]
    async fn server_that_accepts_and_never_answers_is_given_up() {
        let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("postgres://u@{}/x?sslmode=disable", server.local_addr().unwrap());
        let options = PoolOptions { acquire_timeout: Duration::from_millis(50), ..PoolOptions::default() };
        let connector = Arc::new(Connector::new(&url, &options).unwrap());
        let error = connector.connect().await.err().unwrap();
        assert_eq!(error.to_string(), NO_ANSWER);
    }
}
