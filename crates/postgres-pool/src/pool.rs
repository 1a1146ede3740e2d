//! The connections to one database, shared and per thread.

use std::sync::Arc;
use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{self, PoolError, Status};
use diesel::{ConnectionError, ConnectionResult};
use diesel_async::AsyncPgConnection;
use tokio::runtime::Handle;

use crate::connect::{ConnectionManager, Connections, Connector, TCP_USER_TIMEOUT, bad_connection};
use crate::options::{ConfigError, PoolOptions};
use crate::per_thread::{PerThreadPool, PerThreadPools};
use crate::pipelined::{PipelinedConnection, PipelinedQuery};
use crate::pooled::PooledConnection;

/// Why no connection was lent: none became free in time, or none could be opened.
pub type GetError = PoolError<ConnectionError>;

/// The state of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolStatus {
    /// The maximum number of open connections.
    pub max_connections: usize,
    /// The number of open connections.
    pub open: usize,
    /// How many of them are not lent.
    pub available: usize,
    /// How many callers wait for a shared connection.
    pub waiting: usize,
}

/// The connections to one database. A clone uses the same connections.
#[derive(Clone)]
pub struct Pool {
    inner: Arc<Inner>,
    pub(crate) own: Option<Arc<PerThreadPool>>,
}

struct Inner {
    shared: Connections,
    per_thread: PerThreadPools,
    division: Division,
    max_connections: usize,
    acquire_timeout: Duration,
    connector: Arc<Connector>,
    runtime: Handle,
}

/// How the connections are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Division {
    /// Threads that may have connections of their own.
    threads: usize,
    /// The number of connections that each of them lends.
    per_thread: usize,
    /// Whether each of them has a pipelined connection as well.
    pipelined: bool,
    /// The number of connections that all threads share.
    shared: usize,
}

impl Division {
    /// The threads get half of the connections, and one more each for pipelining if that leaves a quarter
    /// shared.
    fn of(max_connections: usize, threads: usize) -> Self {
        let per_thread = max_connections.div_euclid(2).div_euclid(threads.max(1));
        let threads = if per_thread == 0 { 0 } else { threads };
        let shared = max_connections.saturating_sub(per_thread.saturating_mul(threads));
        let beside_pipelined = shared.saturating_sub(threads);
        let pipelined = threads > 0 && beside_pipelined >= max_connections.div_ceil(4);
        Self {
            threads,
            per_thread,
            pipelined,
            shared: if pipelined { beside_pipelined } else { shared.max(1) },
        }
    }
}

impl Pool {
    /// A pool that opens connections when they are first needed.
    ///
    /// Call this on the process's main runtime, which drives the shared connections.
    ///
    /// # Errors
    /// When the URL or a certificate file cannot be used. The server is not contacted.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn new(url: &str, options: &PoolOptions) -> Result<Self, ConfigError> {
        let connector = Arc::new(Connector::new(url, options)?);
        let division = Division::of(options.max_connections, options.threads);
        let timeout = options.acquire_timeout;
        let inner = Inner {
            shared: connections(division.shared, timeout, &connector)?,
            per_thread: PerThreadPools::new(division.threads),
            division,
            max_connections: options.max_connections.max(1),
            acquire_timeout: timeout,
            connector,
            runtime: Handle::current(),
        };
        Ok(Self { inner: Arc::new(inner), own: None })
    }

    /// This pool for one serving thread, with connections that the thread's own runtime drives.
    ///
    /// Call this in that thread, inside its runtime. When as many threads have connections as
    /// [`PoolOptions::threads`] allows, or there are too few connections, the copy has only the shared ones.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn for_thread(&self) -> Self {
        let Inner { division, acquire_timeout, connector, .. } = &*self.inner;
        let make = || {
            Some(PerThreadPool {
                connections: connections(division.per_thread, *acquire_timeout, connector).ok()?,
                pipelined: division.pipelined.then(PipelinedConnection::default),
            })
        };
        Self { inner: self.inner.clone(), own: self.inner.per_thread.add(make) }
    }

    /// Whether the two are copies of one pool.
    pub(crate) fn is_copy_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// A free connection of this thread's own, or else a shared one.
    pub async fn get(&self) -> Result<PooledConnection, GetError> {
        if let Some(own) = &self.own
            && let Some(connection) = own.try_get().await
        {
            return Ok(PooledConnection::new(connection));
        }
        self.get_shared().await
    }

    /// A connection that all threads share.
    pub async fn get_shared(&self) -> Result<PooledConnection, GetError> {
        self.inner.shared.get().await.map(PooledConnection::new)
    }

    /// A connection for one short query: this thread's pipelined one if it can take the query, otherwise as
    /// from [`Pool::get`].
    pub async fn get_for_short_query(&self) -> Result<ShortQueryConnection, GetError> {
        let open = async || self.inner.connector.clone().connect().await.ok();
        if let Some(pipelined) = self.own.as_ref().and_then(|own| own.pipelined.as_ref())
            && let Some(query) = pipelined.start_query(open).await
        {
            return Ok(ShortQueryConnection::Pipelined(query));
        }
        Ok(ShortQueryConnection::Pooled(Box::new(self.get().await?)))
    }

    /// A connection outside the pool, without time limits, which receives notifications.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub async fn connect_unpooled(&self) -> ConnectionResult<AsyncPgConnection> {
        let connecting = self.inner.runtime.spawn(self.inner.connector.clone().connect_without_limits());
        connecting.await.unwrap_or_else(|source| Err(bad_connection(&source)))
    }

    /// Waits until the background roll-backs of all threads have ended, at most for the time after which a
    /// silent connection counts as lost. If a process ends earlier, its locks are held until the server
    /// notices.
    pub async fn roll_backs_ended(&self) {
        let mut running = self.inner.connector.roll_backs.subscribe();
        // This fails only once the sender is dropped, and the connector keeps the sender.
        let _ = tokio::time::timeout(TCP_USER_TIMEOUT, running.wait_for(|count| *count == 0)).await;
    }

    /// The state of the pool, all threads included.
    #[must_use]
    pub fn status(&self) -> PoolStatus {
        let shared = self.inner.shared.status();
        let own = self.inner.per_thread.all();
        let pipelined = own.iter().filter_map(|own| own.pipelined.as_ref());
        let pipelined = pipelined.filter(|pipelined| pipelined.is_open()).count();
        let own: Vec<_> = own.iter().map(|own| own.connections.status()).collect();
        let sum =
            |first: usize, of: fn(&Status) -> usize| own.iter().map(of).fold(first, usize::saturating_add);
        PoolStatus {
            max_connections: self.inner.max_connections,
            // A pipelined connection is never lent, and so always available.
            open: sum(shared.size.saturating_add(pipelined), |status| status.size),
            available: sum(shared.available.saturating_add(pipelined), |status| status.available),
            // A thread does not wait for its own connections.
            waiting: shared.waiting,
        }
    }

    /// The runtime on which the pool was opened.
    #[must_use]
    pub fn runtime(&self) -> &Handle {
        &self.inner.runtime
    }
}

/// A connection for one short query.
pub enum ShortQueryConnection {
    /// The thread's pipelined connection.
    Pipelined(PipelinedQuery),
    /// A lent connection.
    Pooled(Box<PooledConnection>),
}

impl ShortQueryConnection {
    /// The connection, to run the query on. Call [`ShortQueryConnection::end_statement`] when the result is
    /// there.
    pub fn start_statement(&mut self) -> &AsyncPgConnection {
        match self {
            Self::Pipelined(query) => query.connection(),
            Self::Pooled(pooled) => pooled.start_statement(),
        }
    }

    /// Records that the query has ended, whether it succeeded or failed.
    pub fn end_statement(&mut self) {
        match self {
            Self::Pipelined(query) => query.end(),
            Self::Pooled(pooled) => pooled.end_statement(),
        }
    }
}

/// Connections that the current runtime drives.
fn connections(
    max_size: usize,
    acquire_timeout: Duration,
    connector: &Arc<Connector>,
) -> Result<Connections, ConfigError> {
    let manager = ConnectionManager { connector: connector.clone(), runtime: Handle::current() };
    managed::Pool::builder(manager)
        .max_size(max_size)
        .wait_timeout(Some(acquire_timeout))
        .create_timeout(Some(acquire_timeout))
        .runtime(Runtime::Tokio1)
        .build()
        .map_err(|source| ConfigError::Setup(source.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_never_exceeds_the_maximum() {
        for (max, processors, threads, per_thread, pipelined, shared) in [
            (16, 1, 1, 8, true, 7),
            (16, 2, 2, 4, true, 6),
            (16, 4, 4, 2, true, 4),
            (64, 8, 8, 4, true, 24),
            // Too few connections for pipelined ones.
            (16, 8, 8, 1, false, 8),
            // Too few connections for any thread to have its own.
            (16, 9, 0, 0, false, 16),
            (1, 2, 0, 0, false, 1),
            (0, 0, 0, 0, false, 1),
        ] {
            let expected = Division { threads, per_thread, pipelined, shared };
            let division = Division::of(max, processors);
            assert_eq!(division, expected, "{max} for {processors}");
            let of_threads = threads * (per_thread + usize::from(pipelined));
            assert_eq!(shared + of_threads, max.max(1));
        }
    }

    #[tokio::test]
    async fn for_thread_gives_own_connections_to_a_limited_number_of_living_threads() {
        let options = PoolOptions { threads: 2, ..PoolOptions::default() };
        let pool = Pool::new("postgres://localhost/x", &options).unwrap();
        let (first, second) = (pool.for_thread(), pool.for_thread());
        assert!(first.own.is_some() && second.own.is_some());
        assert!(pool.for_thread().own.is_none());
        drop(first);
        assert!(pool.for_thread().own.is_some());
        assert!(pool.own.is_none());
    }
}
