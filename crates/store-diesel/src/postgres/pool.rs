//! PostgreSQL's connections.
//!
//! Some of them are made, and from then on driven, by the runtime that opened the store, and serve whoever asks. The others belong
//! to the threads that serve requests (see [`near`](super::near)).

use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{self, Status, Timeouts};
use diesel_async::AsyncPgConnection;
use kernel::StoreError;
use tokio::runtime::Handle;

use super::connector::{Connector, Maker, bad};
use super::dialect;
use super::near::{Near, NearPools};
use super::point_read::PointRead;
use super::queries::Lease;
use crate::StoreOptions;
use crate::errors::pool_error;
use crate::open::OpenError;
use crate::ports::PoolStatus;

pub(super) type Object = managed::Object<Maker>;
pub(super) type Connections = managed::Pool<Maker>;

/// The connections to one database.
#[derive(Clone)]
pub(super) struct Pool {
    shared: Connections,
    near: NearPools,
    shares: Shares,
    most: usize,
    acquire_timeout: Duration,
    connector: Arc<Connector>,
    runtime: Handle,
}

/// How the connections are shared out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shares {
    /// Threads that have connections of their own.
    threads: usize,
    /// How many each of them has to lend.
    near: usize,
    /// Whether each of them has a line as well.
    lines: bool,
    /// How many are for whoever asks.
    shared: usize,
}

impl Shares {
    /// One thread for each processor serves requests. They have half of the connections; and a line each if that leaves a quarter for whoever
    /// asks.
    fn of(most: usize, processors: usize) -> Self {
        let near = most.div_euclid(2).div_euclid(processors.max(1));
        let threads = if near == 0 { 0 } else { processors };
        let shared = most.saturating_sub(near.saturating_mul(threads));
        let beside_lines = shared.saturating_sub(threads);
        let lines = threads > 0 && beside_lines >= most.div_ceil(4);
        Self {
            threads,
            near,
            lines,
            shared: if lines { beside_lines } else { shared.max(1) },
        }
    }
}

impl Pool {
    /// A pool that connects when a connection is first asked for.
    pub(super) fn new(url: &str, options: &StoreOptions) -> Result<Self, OpenError> {
        let runtime = Handle::current();
        let connector = Arc::new(Connector::new(url, options)?);
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        let shares = Shares::of(options.max_connections, processors);
        let timeout = options.acquire_timeout;
        let shared = connections(shares.shared, timeout, &connector, Some(runtime.clone()))?;
        Ok(Self {
            shared,
            near: NearPools::new(shares.threads),
            shares,
            most: options.max_connections.max(1),
            acquire_timeout: timeout,
            connector,
            runtime,
        })
    }

    /// A connection to read what is committed.
    pub(super) async fn read(&self) -> Result<Lease, StoreError> {
        Ok(Lease::new(self.lent().await?, self.runtime.clone()))
    }

    /// A connection of this thread's own, or else one that all share.
    async fn lent(&self) -> Result<Object, StoreError> {
        match self.near().await {
            Some(object) => Ok(object),
            None => self.shared.get().await.map_err(pool_error),
        }
    }

    /// One of the connections that all share, for a thread that is not to have any of its own.
    pub(super) async fn read_shared(&self) -> Result<Lease, StoreError> {
        let object = self.shared.get().await.map_err(pool_error)?;
        Ok(Lease::new(object, self.runtime.clone()))
    }

    /// Where to run a query that finds one row by its unique key.
    pub(super) async fn point_read(&self) -> Result<PointRead, StoreError> {
        if let Some(near) = self.of_this_thread().filter(|_near| self.shares.lines) {
            let lay = async || self.connector.clone().connect().await.ok();
            if let Some(place) = near.line.enter(lay).await {
                return Ok(PointRead::Line(place));
            }
        }
        Ok(PointRead::Lease(Box::new(self.read().await?)))
    }

    /// A connection of this thread's own, if it has one that is not lent. One that cannot be made is no reason to fail: those that
    /// all share may be open already.
    async fn near(&self) -> Option<Object> {
        let pool = self.of_this_thread()?.connections;
        let timeouts = Timeouts {
            wait: Some(Duration::ZERO),
            ..pool.timeouts()
        };
        pool.timeout_get(&timeouts).await.ok()
    }

    fn of_this_thread(&self) -> Option<Near> {
        let (near, timeout) = (self.shares.near, self.acquire_timeout);
        let make = || connections(near, timeout, &self.connector, None);
        self.near.here(|| make().ok())
    }

    /// A connection for one statement that is a transaction of its own.
    pub(super) async fn write(&self) -> Result<Lease, StoreError> {
        self.read().await
    }

    /// A connection with a transaction begun.
    pub(super) async fn begin(&self) -> Result<Lease, StoreError> {
        let mut lease = Lease::begun(self.lent().await?, self.runtime.clone());
        let begun = dialect::begin(lease.conn()?).await;
        lease.settle(begun)?;
        Ok(lease)
    }

    pub(super) fn status(&self) -> PoolStatus {
        let shared = self.shared.status();
        let near = self.near.all();
        let lines = near.iter().filter(|near| near.line.is_open()).count();
        let pools: Vec<_> = near.iter().map(|near| near.connections.status()).collect();
        let and = |first: usize, of: fn(&Status) -> usize| {
            pools.iter().map(of).fold(first, usize::saturating_add)
        };
        PoolStatus {
            most: self.most,
            // A line is never lent, and so always available.
            size: and(shared.size.saturating_add(lines), |status| status.size),
            available: and(shared.available.saturating_add(lines), |status| {
                status.available
            }),
            // Nobody waits for a thread's own.
            waiting: shared.waiting,
        }
    }

    /// A connection beside the pool, without time limits.
    pub(super) async fn connect_aside(&self) -> Result<AsyncPgConnection, StoreError> {
        let made = self
            .runtime
            .spawn(self.connector.clone().connect_to_listen());
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
    let maker = Maker {
        connector: connector.clone(),
        runtime,
    };
    managed::Pool::builder(maker)
        .max_size(most)
        .wait_timeout(Some(acquire_timeout))
        .create_timeout(Some(acquire_timeout))
        .runtime(Runtime::Tokio1)
        .build()
        .map_err(|source| OpenError::Open(source.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_connections_are_shared_out_than_there_are() {
        for (most, processors, threads, near, lines, shared) in [
            (16, 1, 1, 8, true, 7),
            (16, 2, 2, 4, true, 6),
            (16, 4, 4, 2, true, 4),
            (64, 8, 8, 4, true, 24),
            // Too few for lines as well.
            (16, 8, 8, 1, false, 8),
            // Too few for every thread to have any.
            (16, 9, 0, 0, false, 16),
            (1, 2, 0, 0, false, 1),
            (0, 0, 0, 0, false, 1),
        ] {
            let expected = Shares {
                threads,
                near,
                lines,
                shared,
            };
            let shares = Shares::of(most, processors);
            assert_eq!(shares, expected, "{most} for {processors}");
            let of_threads = threads * (near + usize::from(lines));
            assert_eq!(shared + of_threads, most.max(1));
        }
    }
}
