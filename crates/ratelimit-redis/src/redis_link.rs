//! The process's only connection to Redis: up or down.
//!
//! While it is up, all requests share it. The first request that fails on it marks it as down, logs one
//! warning and starts a background task, which at intervals connects and runs the script once, until both
//! succeed. Meanwhile requests find no connection and do not wait.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, FromRedisValue, RedisError, ScriptInvocation};
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep, timeout};

use crate::take::{Take, Taken};

/// Options besides the URL. The defaults are those of the service; tests use shorter times.
#[derive(Debug, Clone)]
pub struct Options {
    /// The length of the window for API keys: a minute.
    pub window: Duration,
    /// How long a request waits for Redis before the process decides by itself.
    pub command: Duration,
    /// The time limit for connecting. No request waits for it.
    pub connect: Duration,
    /// The pause between two attempts to reconnect.
    pub pause: Duration,
    /// A PEM file of certificates that are trusted in addition to the system's.
    pub extra_ca_file: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            window: access::quota::WINDOW.unsigned_abs(),
            command: Duration::from_millis(250),
            connect: Duration::from_secs(2),
            pause: Duration::from_secs(1),
            extra_ca_file: None,
        }
    }
}

/// The connection to Redis and its state.
pub(crate) struct RedisLink {
    client: Client,
    name: String,
    options: Options,
    take: Take,
    /// The connection while it is up.
    live: RwLock<Option<LiveConnection>>,
    /// The runtime that drives the connections, because the serving threads' own runtimes may end earlier.
    runtime: Handle,
}

/// A connection that worked when it was last used.
#[derive(Clone)]
pub(crate) struct LiveConnection {
    connection: MultiplexedConnection,
    since: Instant,
    after_outage: bool,
}

/// Why the connection is down.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RedisFault {
    #[error("{0}")]
    Refused(#[from] RedisError),
    #[error("no answer within {0:?}")]
    Silent(Duration),
}

impl RedisLink {
    /// Connects. If that fails, starts to reconnect in the background; meanwhile the process serves without
    /// Redis.
    pub(crate) async fn open(client: Client, name: String, options: Options) -> Arc<Self> {
        let link = Arc::new(Self {
            client,
            name,
            options,
            take: Take::new(),
            live: RwLock::new(None),
            runtime: Handle::current(),
        });
        match link.connect().await {
            Ok(connection) => link.set_up(connection, false),
            Err(fault) => {
                link.warn(&fault);
                link.reconnect(link.options.pause);
            }
        }
        link
    }

    /// The connection, while it is up.
    pub(crate) fn live(&self) -> Option<LiveConnection> {
        self.live.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the connection was down at some time within the window.
    pub(crate) fn was_down(&self, live: &LiveConnection, window: Duration) -> bool {
        live.after_outage && live.since.elapsed() < window
    }

    /// The length of the window for API keys.
    pub(crate) const fn window(&self) -> Duration {
        self.options.window
    }

    /// Counts one request in Redis. `None` when Redis does not respond; the connection is then down.
    pub(crate) async fn take(
        self: &Arc<Self>,
        live: LiveConnection,
        window: &str,
        quota: u32,
        length: Duration,
    ) -> Option<Taken> {
        let call = self.take.call(window, quota, length);
        self.invoke::<(bool, u32, i64)>(live, &call).await.map(Taken::from)
    }

    /// Calls a script. `None` when Redis does not respond; the connection is then down.
    pub(crate) async fn invoke<T: FromRedisValue>(
        self: &Arc<Self>,
        live: LiveConnection,
        call: &ScriptInvocation<'_>,
    ) -> Option<T> {
        let mut connection = live.connection;
        let fault = match timeout(self.options.command, call.invoke_async(&mut connection)).await {
            Ok(Ok(answer)) => return Some(answer),
            Ok(Err(error)) => RedisFault::Refused(error),
            Err(_elapsed) => RedisFault::Silent(self.options.command),
        };
        self.lost(live.since, &fault);
        None
    }

    /// Marks the connection as down, once: later failures on the same connection change nothing.
    fn lost(self: &Arc<Self>, since: Instant, fault: &RedisFault) {
        {
            let mut live = self.live.write().unwrap_or_else(PoisonError::into_inner);
            if live.take_if(|live| live.since == since).is_none() {
                return;
            }
        }
        self.warn(fault);
        // A connection that worked for a while may have been closed by a restart, so reconnect at once.
        // Otherwise pause, so that repeated short-lived connections do not delay requests.
        let held = since.elapsed() > self.options.pause;
        let first_pause = if held { Duration::ZERO } else { self.options.pause };
        self.reconnect(first_pause);
    }

    /// Reconnects in the background until that succeeds or the link is dropped.
    fn reconnect(self: &Arc<Self>, first_pause: Duration) {
        let link = Arc::downgrade(self);
        self.runtime.spawn(reconnect_loop(link, first_pause));
    }

    async fn connect(&self) -> Result<MultiplexedConnection, RedisFault> {
        // One time limit covers connecting and the trial, instead of the library's limits.
        let config = AsyncConnectionConfig::new().set_connection_timeout(None).set_response_timeout(None);
        let connected = async {
            let mut connection = self.client.get_multiplexed_async_connection_with_config(&config).await?;
            self.take.try_out(&mut connection).await?;
            Ok(connection)
        };
        timeout(self.options.connect, connected)
            .await
            .unwrap_or(Err(RedisFault::Silent(self.options.connect)))
    }

    fn set_up(&self, connection: MultiplexedConnection, after_outage: bool) {
        let live = LiveConnection { connection, since: Instant::now(), after_outage };
        *self.live.write().unwrap_or_else(PoisonError::into_inner) = Some(live);
    }

    fn warn(&self, fault: &RedisFault) {
        tracing::warn!(
            redis = %self.name,
            error = %fault,
            "Redis does not respond: until it does, this process counts quotas and failures for itself"
        );
    }
}

async fn reconnect_loop(link: Weak<RedisLink>, first_pause: Duration) {
    let mut pause = first_pause;
    loop {
        sleep(pause).await;
        let Some(link) = link.upgrade() else { return };
        if let Ok(connection) = link.connect().await {
            link.set_up(connection, true);
            tracing::info!(redis = %link.name, "Redis responds again: quotas are shared");
            return;
        }
        pause = link.options.pause;
    }
}
