//! The connections to PostgreSQL, with this store's errors.

use std::borrow::Cow;
use std::sync::Arc;

use diesel::QueryResult;
use diesel_async::AsyncPgConnection;
use kernel::{StoreError, StoreResult};
use postgres_pool::{GetError, PoolOptions, ShortQueryConnection};
use store_schema::errors::{pool_error, store_error};
use store_schema::layout::Layout;
use store_schema::options::{Announce, OpenError, StoreOptions};
use store_schema::ports::PoolStatus;
use store_schema::rows::AccountScopeRow;
use store_schema::types::RowId;
use tokio::runtime::Handle;

use super::own_copies::OwnCopies;
use super::queries::pooled_connection::PooledConnection;
use super::queries::purpose::Purpose;
use super::shard::Shard;
use super::worker_nodes::{ShardLocation, WorkerNodes};

/// The connections to one database: to its only server, or to the coordinator of a cluster.
#[derive(Clone)]
pub(super) struct Pool {
    connections: postgres_pool::Pool,
    layout: Layout,
    nodes: Option<WorkerNodes>,
    /// The place of the account that this pool is for: connections to its node are preferred.
    place: Option<ShardLocation>,
}

impl Pool {
    /// A pool that opens connections on demand.
    pub(super) fn new(url: &str, options: &StoreOptions) -> Result<Self, OpenError> {
        let layout = options.layout;
        // NOTIFY reaches only listeners on the same server, and they listen at the coordinator.
        let asks_nodes = layout.is_distributed() && options.announce == Announce::Here;
        let options = PoolOptions {
            application_name: "countinghouse",
            max_connections: options.max_connections,
            acquire_timeout: options.acquire_timeout,
            extra_ca_file: options.extra_ca_file.clone(),
            settings: settings(layout),
            ..PoolOptions::default()
        };
        let connections = postgres_pool::Pool::new(url, &options)?;
        let nodes = asks_nodes.then(|| WorkerNodes::new(url, &options, connections.clone()));
        Ok(Self { connections, layout, nodes, place: None })
    }

    /// This pool with connections of the calling thread's own.
    pub(super) fn for_thread(&self) -> Self {
        let nodes = self.nodes.as_ref().map(WorkerNodes::for_thread);
        Self { connections: self.connections.for_thread(), nodes, ..self.clone() }
    }

    /// This pool for statements on rows of this account: on a cluster, it lends connections to the node
    /// that has them, if that node can be reached.
    pub(super) fn of(&self, account: RowId) -> Cow<'_, Self> {
        match self.nodes.as_ref().and_then(|nodes| nodes.place_of(account)) {
            None => Cow::Borrowed(self),
            place => Cow::Owned(Self { place, ..self.clone() }),
        }
    }

    async fn get(&self) -> StoreResult<postgres_pool::PooledConnection> {
        if let Some(place) = &self.place {
            match place.pool.get().await {
                // The node cannot be reached, or not yet; the coordinator may have a connection.
                Err(GetError::Backend(_)) => {}
                lent => return lent.map_err(pool_error),
            }
        }
        self.connections.get().await.map_err(pool_error)
    }

    /// A connection that reads committed data.
    pub(super) async fn read(&self) -> StoreResult<PooledConnection> {
        self.get().await.map(PooledConnection::new)
    }

    /// `None`: work need not be looked for before the statement that does it, which locks only its rows.
    pub(super) async fn lock_work_search(&self) -> Option<()> {
        None
    }

    /// A connection shared by all threads.
    pub(super) async fn read_shared(&self) -> StoreResult<PooledConnection> {
        if let Some(place) = &self.place {
            match place.pool.get_shared().await {
                Err(GetError::Backend(_)) => {}
                lent => return lent.map(PooledConnection::new).map_err(pool_error),
            }
        }
        let shared = self.connections.get_shared().await;
        shared.map(PooledConnection::new).map_err(pool_error)
    }

    /// A connection for a query that finds one row by a unique key.
    pub(super) async fn point_read(&self) -> StoreResult<PointRead> {
        let layout = self.layout;
        if let Some(ShardLocation { pool, shard }) = &self.place {
            match pool.get_for_short_query().await {
                Err(GetError::Backend(_)) => {}
                lent => {
                    let lent = lent.map_err(pool_error)?;
                    return Ok(PointRead { lent, layout, copies: None, shard: Some(shard.clone()) });
                }
            }
        }
        let copies = self.nodes.as_ref().and_then(WorkerNodes::copies);
        let lent = self.connections.get_for_short_query().await.map_err(pool_error)?;
        Ok(PointRead { lent, layout, copies, shard: None })
    }

    /// A connection for one statement that is a transaction by itself.
    pub(super) async fn write(&self) -> StoreResult<PooledConnection> {
        self.read().await
    }

    /// A connection with an open transaction.
    pub(super) async fn begin(&self, _purpose: Purpose) -> StoreResult<PooledConnection> {
        let mut connection = self.get().await?;
        connection.begin().map_err(store_error)?;
        Ok(PooledConnection::new(connection))
    }

    /// Waits until the roll-backs on all connections have ended.
    pub(super) async fn roll_backs_ended(&self) {
        for pool in self.all() {
            pool.roll_backs_ended().await;
        }
    }

    /// The pools of the only server, or of the coordinator and each node.
    fn all(&self) -> Vec<postgres_pool::Pool> {
        let nodes = self.nodes.iter().flat_map(WorkerNodes::pools);
        std::iter::once(self.connections.clone()).chain(nodes).collect()
    }

    pub(super) fn status(&self) -> PoolStatus {
        let mut sum = PoolStatus { max_connections: 0, open: 0, available: 0, waiting: 0 };
        for pool in self.all() {
            let status = pool.status();
            sum.max_connections = sum.max_connections.saturating_add(status.max_connections);
            sum.open = sum.open.saturating_add(status.open);
            sum.available = sum.available.saturating_add(status.available);
            sum.waiting = sum.waiting.saturating_add(status.waiting);
        }
        sum
    }

    /// A connection outside the pool, without time limits.
    pub(super) async fn connect_unpooled(&self) -> StoreResult<AsyncPgConnection> {
        let connected = self.connections.connect_unpooled().await;
        connected.map_err(|source| StoreError::Unavailable(source.into()))
    }

    /// The placement of the tables.
    pub(super) const fn layout(&self) -> Layout {
        self.layout
    }

    pub(super) fn runtime(&self) -> &Handle {
        self.connections.runtime()
    }
}

/// The settings of each connection.
///
/// A connection keeps the plan of a prepared statement until the table is analyzed again, so the plan must
/// also suit a table that has grown meanwhile. Reading a table whole is cheapest while it is almost empty,
/// but not a minute later. Where nothing else is possible, `enable_seqscan = off` makes the estimated cost so
/// high that PostgreSQL would compile even a short statement (`jit`).
fn settings(layout: Layout) -> Vec<(&'static str, &'static str)> {
    let plans = [("enable_seqscan", "off"), ("jit", "off")];
    match layout {
        Layout::OneServer => plans.to_vec(),
        // Only background work uses all shards, and one connection to each node is enough for it.
        Layout::ByAccount => [&plans[..], &[("citus.max_adaptive_executor_pool_size", "1")]].concat(),
    }
}

/// A connection for one query that finds one row by a unique key.
pub(super) struct PointRead {
    lent: ShortQueryConnection,
    layout: Layout,
    /// The coordinator's copies, if this is a connection to the coordinator.
    copies: Option<Arc<OwnCopies>>,
    /// The shard of the account, if this is a connection to the node that has it.
    shard: Option<Arc<Shard>>,
}

impl PointRead {
    /// The connection, to run the query on. Pass the result to [`PointRead::settle`].
    pub(super) fn conn(&mut self) -> StoreResult<&AsyncPgConnection> {
        Ok(self.lent.start_statement())
    }

    /// The placement of the tables.
    pub(super) const fn layout(&self) -> Layout {
        self.layout
    }

    /// The shard of the account, if the statement may use its tables.
    pub(super) fn shard(&self) -> Option<Arc<Shard>> {
        self.shard.clone()
    }

    /// Takes the result of the query.
    pub(super) fn settle<T>(&mut self, result: QueryResult<T>) -> StoreResult<T> {
        self.lent.end_statement();
        result.map_err(store_error)
    }
}

/// The key with this hash and its account, read from the coordinator's own copies. `None` if there are no
/// copies, and the tables must be read.
pub(super) async fn account_key_on_copies(
    read: &mut PointRead,
    hash: &[u8],
) -> Option<Option<(RowId, AccountScopeRow)>> {
    let copies = read.copies.clone()?;
    let found = copies.account_key(hash, read.lent.start_statement()).await;
    read.lent.end_statement();
    found.inspect_err(|error| tracing::debug!(%error, "cannot read own copies of tables")).ok()
}
