//! The connection to Redis: one for the process, there or away.
//!
//! While it is there, every request shares it. The first request that it fails takes it away for all, with one warning, and sets
//! somebody in the background to look for Redis: connect, try the script out, pause, again. Meanwhile a request learns from one look at
//! [`State`] that it must do without, so an outage costs it nothing. When Redis is found the link is there again, and the log says so.

use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisError};
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep, timeout};

use crate::options::Options;
use crate::take::{Take, Taken};

/// Redis, as one process sees it.
pub(crate) struct Link {
    client: Client,
    name: String,
    options: Options,
    take: Take,
    state: RwLock<State>,
    /// A connection is driven by the runtime on which it was made. The workers of the HTTP front have small ones of their own, so connecting
    /// is done on this one.
    runtime: Handle,
}

enum State {
    There(Line),
    Away,
}

/// A connection that worked when it was last used.
#[derive(Clone)]
pub(crate) struct Line {
    connection: MultiplexedConnection,
    since: Instant,
    after_outage: bool,
}

/// Why Redis is taken to be away.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error("{0}")]
    Refused(#[from] RedisError),
    #[error("no answer within {0:?}")]
    Silent(Duration),
}

impl Link {
    /// Connects, or begins to look for Redis where that fails: not finding it is no reason not to serve.
    pub(crate) async fn open(client: Client, name: String, options: Options) -> Arc<Self> {
        let link = Arc::new(Self {
            client,
            name,
            options,
            take: Take::new(),
            state: RwLock::new(State::Away),
            runtime: Handle::current(),
        });
        match link.connect().await {
            Ok(connection) => link.is_there(connection, false),
            Err(fault) => {
                link.warn(&fault);
                link.look_for_it(link.options.pause);
            }
        }
        link
    }

    /// The connection, unless Redis is away.
    pub(crate) fn line(&self) -> Option<Line> {
        match &*self.state.read().unwrap_or_else(PoisonError::into_inner) {
            State::There(line) => Some(line.clone()),
            State::Away => None,
        }
    }

    /// Whether requests were judged without Redis in the window that ends now.
    pub(crate) fn was_away(&self, line: &Line) -> bool {
        line.after_outage && line.since.elapsed() < self.options.window
    }

    /// Asks Redis to count one request; `None` when it did not answer, and then it is away.
    pub(crate) async fn take(
        self: &Arc<Self>,
        line: Line,
        window: &str,
        quota: u32,
    ) -> Option<Taken> {
        let mut connection = line.connection;
        let asked = self
            .take
            .run(&mut connection, window, quota, self.options.window);
        let fault = match timeout(self.options.command, asked).await {
            Ok(Ok(taken)) => return Some(taken),
            Ok(Err(error)) => Fault::Refused(error),
            Err(_elapsed) => Fault::Silent(self.options.command),
        };
        self.lost(line.since, &fault);
        None
    }

    /// Takes the link away, once: requests that fail on a connection that has been given up change nothing any more.
    fn lost(self: &Arc<Self>, since: Instant, fault: &Fault) {
        {
            let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
            match &*state {
                State::There(line) if line.since == since => *state = State::Away,
                _ => return,
            }
        }
        self.warn(fault);
        // A connection that held for a while may just have been closed, as by a restart: look at once. One that did not must not be made
        // again and again at the expense of requests.
        let held = since.elapsed() > self.options.pause;
        let first_pause = if held {
            Duration::ZERO
        } else {
            self.options.pause
        };
        self.look_for_it(first_pause);
    }

    /// Looks for Redis in the background until it is found or nobody wants it any more.
    fn look_for_it(self: &Arc<Self>, first_pause: Duration) {
        let link = Arc::downgrade(self);
        self.runtime.spawn(look_for(link, first_pause));
    }

    async fn connect(&self) -> Result<MultiplexedConnection, Fault> {
        // The library's own time limits are off: there is one, around everything.
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(None)
            .set_response_timeout(None);
        let connected = async {
            let mut connection = self
                .client
                .get_multiplexed_async_connection_with_config(&config)
                .await?;
            self.take.try_out(&mut connection).await?;
            Ok(connection)
        };
        timeout(self.options.connect, connected)
            .await
            .unwrap_or(Err(Fault::Silent(self.options.connect)))
    }

    fn is_there(&self, connection: MultiplexedConnection, after_outage: bool) {
        let line = Line {
            connection,
            since: Instant::now(),
            after_outage,
        };
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = State::There(line);
    }

    fn warn(&self, fault: &Fault) {
        tracing::warn!(
            redis = %self.name,
            error = %fault,
            "Redis is away: until it answers again, this process counts quotas for itself"
        );
    }
}

async fn look_for(link: Weak<Link>, first_pause: Duration) {
    let mut pause = first_pause;
    loop {
        sleep(pause).await;
        let Some(link) = link.upgrade() else { return };
        if let Ok(connection) = link.connect().await {
            link.is_there(connection, true);
            tracing::info!(redis = %link.name, "Redis answers again: quotas are shared");
            return;
        }
        pause = link.options.pause;
    }
}
