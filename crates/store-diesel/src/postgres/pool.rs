//! PostgreSQL's connections.
//!
//! Half of them are made, and from then on driven, by the runtime that opened the store, and serve whoever asks. The other half belongs
//! to the threads that serve requests (see [`near`](super::near)).

use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{Status, Timeouts};
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

use super::near::NearPools;
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

/// How long what was sent may stay unacknowledged before the connection counts as dead: a network that swallows everything says nothing,
/// and without this a request would be given such a connection for a quarter of an hour.
const SILENCE: Duration = Duration::from_secs(20);

/// The connections to one database.
#[derive(Clone)]
pub(super) struct Pool {
    shared: Connections,
    near: NearPools,
    near_size: usize,
    most: usize,
    acquire_timeout: Duration,
    connector: Arc<Connector>,
    runtime: Handle,
}

type Connections = managed::Pool<AsyncPgConnection>;

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
        if address.config.get_tcp_user_timeout().is_none() {
            address.config.tcp_user_timeout(SILENCE);
        }
        let connector = Arc::new(Connector {
            tls: tls::connector(&address, options.extra_ca_file.as_deref())?,
            address,
            statement_timeout: options.statement_timeout,
        });
        // One thread for each processor serves requests.
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        let near_size = options.max_connections.div_euclid(2).div_euclid(threads);
        let shared_size = options
            .max_connections
            .saturating_sub(near_size.saturating_mul(threads));
        let shared = connections(
            shared_size.max(1),
            options.acquire_timeout,
            &connector,
            Some(runtime.clone()),
        )?;
        Ok(Self {
            shared,
            near: NearPools::new(if near_size == 0 { 0 } else { threads }),
            near_size,
            most: shared_size
                .max(1)
                .saturating_add(near_size.saturating_mul(threads)),
            acquire_timeout: options.acquire_timeout,
            connector,
            runtime,
        })
    }

    /// A connection to read what is committed.
    pub(super) async fn read(&self) -> Result<Lease, StoreError> {
        match self.near().await {
            Some(object) => Ok(Lease::new(object, self.runtime.clone())),
            None => self.read_shared().await,
        }
    }

    /// One of the connections that all share, for a thread that is not to have any of its own.
    pub(super) async fn read_shared(&self) -> Result<Lease, StoreError> {
        let object = self.shared.get().await.map_err(pool_error)?;
        Ok(Lease::new(object, self.runtime.clone()))
    }

    /// A connection of this thread's own, if it has one that is not lent. One that cannot be made is no reason to fail: those that
    /// all share may be open already.
    async fn near(&self) -> Option<Object> {
        let make = || connections(self.near_size, self.acquire_timeout, &self.connector, None);
        let pool = self.near.here(|| make().ok())?;
        let timeouts = Timeouts {
            wait: Some(Duration::ZERO),
            ..pool.timeouts()
        };
        pool.timeout_get(&timeouts).await.ok()
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
        let shared = self.shared.status();
        let near = self.near.all();
        let near: Vec<_> = near.iter().map(managed::Pool::status).collect();
        let and = |first: usize, of: fn(&Status) -> usize| {
            near.iter().map(of).fold(first, usize::saturating_add)
        };
        PoolStatus {
            most: self.most,
            size: and(shared.size, |status| status.size),
            available: and(shared.available, |status| status.available),
            // Nobody waits for a thread's own.
            waiting: shared.waiting,
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

/// A pool that connects when a connection is first asked for. Its connections are driven by a runtime, or else by whoever asks first.
fn connections(
    most: usize,
    acquire_timeout: Duration,
    connector: &Arc<Connector>,
    runtime: Option<Handle>,
) -> Result<Connections, OpenError> {
    let mut manager = ManagerConfig::default();
    // Whether a connection is still open is known without asking the server: that would be a round trip for each request.
    manager.recycling_method = RecyclingMethod::Fast;
    let connector = connector.clone();
    manager.custom_setup = Box::new(move |_url| {
        let made = connector.clone().connect_for_requests();
        let Some(runtime) = &runtime else {
            return made.boxed();
        };
        let made = runtime.spawn(made);
        async move { made.await.unwrap_or_else(|source| Err(bad(&source))) }.boxed()
    });
    // The URL is in the connector, and nowhere else: it holds the password.
    let manager = AsyncDieselConnectionManager::new_with_config(String::new(), manager);
    managed::Pool::builder(manager)
        .max_size(most)
        .wait_timeout(Some(acquire_timeout))
        .create_timeout(Some(acquire_timeout))
        .runtime(Runtime::Tokio1)
        .build()
        .map_err(|source| OpenError::Open(source.into()))
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
