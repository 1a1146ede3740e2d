//! Making connections, and what is known of each.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use deadpool::managed::{Manager, Metrics, RecycleError, RecycleResult};
use diesel::{ConnectionError, ConnectionResult};
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::tls;
use super::url::Address;
use crate::StoreOptions;
use crate::open::OpenError;

/// The server ends a transaction that nobody goes on with, so that a process that hangs does not hold its locks for ever.
const IDLE_IN_TRANSACTION: Duration = Duration::from_secs(30);

/// How long what was sent may stay unacknowledged before the connection counts as dead: a network that swallows everything says nothing,
/// and without this a request would be given such a connection for a quarter of an hour.
const SILENCE: Duration = Duration::from_secs(20);

/// How long a statement waits for a row that another transaction holds, in milliseconds. Whoever waits keeps a connection from everybody
/// else: one hung transaction of one account must not take them all.
const LOCK_TIMEOUT_MS: u32 = 3_000;

/// Makes connections to one database.
pub(super) struct Connector {
    address: Address,
    tls: MakeRustlsConnect,
    statement_timeout: Duration,
}

/// A connection, and what is known of it.
pub(crate) struct Wire {
    connection: AsyncPgConnection,
    has_ended: Arc<AtomicBool>,
    _driven: Driven,
    /// Whether the statement that keeps an answer is prepared on it.
    pub(super) keeps_answers: bool,
}

impl Wire {
    /// Whether the server, or the network, has ended it.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }
}

impl Deref for Wire {
    type Target = AsyncPgConnection;

    fn deref(&self) -> &AsyncPgConnection {
        &self.connection
    }
}

impl DerefMut for Wire {
    fn deref_mut(&mut self) -> &mut AsyncPgConnection {
        &mut self.connection
    }
}

/// Has a connection driven, from its first message on and for as long as somebody holds this.
struct Driven(AbortHandle);

impl Drop for Driven {
    fn drop(&mut self) {
        // Not even what was sent already is waited for: the server rolls back what is not committed.
        self.0.abort();
    }
}

/// Whoever drives a connection holds one, so that its end is known however it comes.
struct Driving(Arc<AtomicBool>);

impl Drop for Driving {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

impl Connector {
    pub(super) fn new(url: &str, options: &StoreOptions) -> Result<Self, OpenError> {
        let mut address = Address::parse(url)?;
        address.config.application_name("countinghouse");
        if address.config.get_connect_timeout().is_none() {
            address.config.connect_timeout(options.acquire_timeout);
        }
        if address.config.get_tcp_user_timeout().is_none() {
            address.config.tcp_user_timeout(SILENCE);
        }
        Ok(Self {
            tls: tls::connector(&address, options.extra_ca_file.as_deref())?,
            address,
            statement_timeout: options.statement_timeout,
        })
    }

    /// A connection that hears of announcements, without time limits.
    pub(super) async fn connect_to_listen(self: Arc<Self>) -> ConnectionResult<AsyncPgConnection> {
        let connected = self.address.config.connect(self.tls.clone()).await;
        let (client, driver) = connected.map_err(|source| bad(&source))?;
        AsyncPgConnection::try_from_client_and_connection(client, driver).await
    }

    /// A connection for requests. The runtime that asks drives it.
    pub(super) async fn connect(self: Arc<Self>) -> ConnectionResult<Wire> {
        let connected = self.address.config.connect(self.tls.clone()).await;
        let (client, driver) = connected.map_err(|source| bad(&source))?;
        let has_ended = Arc::new(AtomicBool::new(false));
        let driving = Driving(has_ended.clone());
        let driver = tokio::spawn(async move {
            let _driving = driving;
            if let Err(source) = driver.await {
                tracing::warn!(reason = text(&source), "lost a connection to the database");
            }
        });
        let driven = Driven(driver.abort_handle());
        let limits = format!(
            "SET statement_timeout = {}; SET lock_timeout = {LOCK_TIMEOUT_MS}; SET idle_in_transaction_session_timeout = {}",
            self.statement_timeout.as_millis(),
            IDLE_IN_TRANSACTION.as_millis(),
        );
        let mut connection = AsyncPgConnection::try_from(client).await?;
        let limited = connection.batch_execute(&limits).await;
        limited.map_err(ConnectionError::CouldntSetupConfiguration)?;
        Ok(Wire {
            connection,
            has_ended,
            _driven: driven,
            keeps_answers: false,
        })
    }
}

/// Makes a pool's connections, which a runtime drives, or else whoever asks first.
pub(super) struct Maker {
    pub(super) connector: Arc<Connector>,
    pub(super) runtime: Option<Handle>,
}

impl Manager for Maker {
    type Type = Wire;
    type Error = ConnectionError;

    async fn create(&self) -> Result<Wire, ConnectionError> {
        let made = self.connector.clone().connect();
        match &self.runtime {
            Some(runtime) => runtime
                .spawn(made)
                .await
                .unwrap_or_else(|source| Err(bad(&source))),
            None => made.await,
        }
    }

    /// Whether a connection is still open is known without asking the server: that would be a round trip for each request.
    async fn recycle(&self, wire: &mut Wire, _: &Metrics) -> RecycleResult<ConnectionError> {
        if wire.has_ended() {
            return Err(RecycleError::message("the connection has ended"));
        }
        Ok(())
    }
}

pub(super) fn bad(source: &(dyn std::error::Error + 'static)) -> ConnectionError {
    ConnectionError::BadConnection(text(source))
}

/// tokio-postgres says what went wrong only in the sources of its errors.
fn text(source: &(dyn std::error::Error + 'static)) -> String {
    let mut text = source.to_string();
    let mut inner = source.source();
    while let Some(source) = inner {
        text = format!("{text}: {source}");
        inner = source.source();
    }
    text
}
