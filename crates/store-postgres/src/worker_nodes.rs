//! The worker nodes of a cluster, and which of them has an account.
//!
//! Every server of a cluster knows where each account is. The coordinator plans a statement about an account
//! and sends it to the node that has the account, which parses and plans it again. A statement sent
//! directly to that node is planned and run there. The information kept here may be outdated, and only
//! saves time: a node that no longer has the account forwards the statement, as the coordinator would, and
//! if no node can be reached the coordinator is used.

use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use citus_tables::uuid_hash;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Integer, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use kernel::StoreResult;
use postgres_pool::{GetError, Pool, PoolOptions, ServersOfThread};
use store_schema::errors::{pool_error, store_error};
use store_schema::types::RowId;

use super::own_copies::OwnCopies;
use super::shard::Shard;

/// The age at which the information about the cluster is refreshed.
const REFRESH_INTERVAL: Duration = Duration::from_secs(10);

/// Identifies a running server. It tells apart two servers that have the same address, as seen from two
/// machines.
const IDENTITY: &str = "SELECT system_identifier || ' ' || extract(epoch from pg_postmaster_start_time()) \
    AS identity FROM pg_control_system()";

/// The last hash of each shard, in order, and the server that has the shard; with the server's identity if it
/// responds and knows where each account is.
const PLACES: &str = "SELECT s.shardmaxvalue::integer AS last_hash, n.nodename::text AS host, \
    n.nodeport AS port, CASE WHEN n.isactive AND n.hasmetadata AND n.metadatasynced THEN w.result END AS identity, \
    s.shardid AS invoices, l.shardid AS line_items, y.shardid AS payments FROM pg_dist_shard AS s \
    JOIN pg_dist_shard AS l ON l.logicalrelid = 'line_items'::regclass AND l.shardminvalue = s.shardminvalue \
    JOIN pg_dist_shard AS y ON y.logicalrelid = 'payments'::regclass AND y.shardminvalue = s.shardminvalue \
    JOIN pg_dist_placement AS p ON p.shardid = s.shardid \
    JOIN pg_dist_node AS n ON n.groupid = p.groupid AND n.noderole = 'primary' \
    LEFT JOIN run_command_on_workers($1) AS w ON w.nodename = n.nodename AND w.nodeport = n.nodeport AND w.success \
    WHERE s.logicalrelid = 'invoices'::regclass ORDER BY 1";

/// The worker nodes of a cluster. Clones share them.
#[derive(Clone)]
pub(super) struct WorkerNodes {
    cluster: Arc<CitusCluster>,
    /// The connections of one serving thread.
    own: Option<Arc<ServersOfThread>>,
}

struct CitusCluster {
    url: String,
    options: PoolOptions,
    coordinator: Pool,
    known: RwLock<Arc<Known>>,
    refreshed_at: Mutex<Option<Instant>>,
}

/// The known state of a cluster.
#[derive(Default)]
struct Known {
    shards: Vec<PlacedShard>,
    nodes: Vec<Arc<WorkerNode>>,
    copies: Option<Arc<OwnCopies>>,
}

struct PlacedShard {
    last_hash: i32,
    shard: Arc<Shard>,
    /// `None` if the node cannot be reached from here.
    node: Option<Arc<WorkerNode>>,
}

/// The place of an account's rows.
#[derive(Clone)]
pub(super) struct ShardLocation {
    /// The connections to the node.
    pub(super) pool: Pool,
    pub(super) shard: Arc<Shard>,
}

struct WorkerNode {
    host: String,
    port: u16,
    pool: Pool,
}

#[derive(QueryableByName)]
struct PlaceRow {
    #[diesel(sql_type = Integer)]
    last_hash: i32,
    #[diesel(sql_type = Text)]
    host: String,
    #[diesel(sql_type = Integer)]
    port: i32,
    #[diesel(sql_type = Nullable<Text>)]
    identity: Option<String>,
    #[diesel(sql_type = BigInt)]
    invoices: i64,
    #[diesel(sql_type = BigInt)]
    line_items: i64,
    #[diesel(sql_type = BigInt)]
    payments: i64,
}

#[derive(QueryableByName)]
struct Identity {
    #[diesel(sql_type = Text)]
    identity: String,
}

impl WorkerNodes {
    /// The nodes of the cluster of a coordinator, with the URL and the options of the coordinator's pool.
    pub(super) fn new(url: &str, options: &PoolOptions, coordinator: Pool) -> Self {
        let cluster = CitusCluster {
            url: url.to_owned(),
            options: options.clone(),
            coordinator,
            known: RwLock::default(),
            refreshed_at: Mutex::default(),
        };
        Self { cluster: Arc::new(cluster), own: None }
    }

    /// The same nodes, with connections of the calling thread's own.
    pub(super) fn for_thread(&self) -> Self {
        Self { cluster: self.cluster.clone(), own: Some(Arc::default()) }
    }

    /// The place of the account's rows. `None` while it is unknown, or if the node cannot be reached.
    pub(super) fn place_of(&self, account: RowId) -> Option<ShardLocation> {
        let known = self.cluster.known();
        let hash = uuid_hash(account.0.into_bytes());
        let at = known.shards.partition_point(|placed| placed.last_hash < hash);
        let placed = known.shards.get(at)?;
        let shared = &placed.node.as_ref()?.pool;
        let pool = match &self.own {
            Some(own) => own.pool_of(shared, known.nodes.iter().map(|node| &node.pool)),
            None => shared.clone(),
        };
        Some(ShardLocation { pool, shard: placed.shard.clone() })
    }

    /// The coordinator's copies of tables that are on every server, once they are known.
    pub(super) fn copies(&self) -> Option<Arc<OwnCopies>> {
        self.cluster.known().copies.clone()
    }

    /// The pools of all nodes.
    pub(super) fn pools(&self) -> Vec<Pool> {
        let known = self.cluster.known.read().unwrap_or_else(PoisonError::into_inner);
        known.nodes.iter().map(|node| node.pool.clone()).collect()
    }
}

impl CitusCluster {
    /// The known state. If it is old, it is refreshed in the background.
    fn known(self: &Arc<Self>) -> Arc<Known> {
        let now = Instant::now();
        let mut refreshed_at = self.refreshed_at.lock().unwrap_or_else(PoisonError::into_inner);
        if refreshed_at.is_none_or(|at| now.duration_since(at) >= REFRESH_INTERVAL) {
            *refreshed_at = Some(now);
            let cluster = self.clone();
            self.coordinator.runtime().spawn(async move {
                if let Err(error) = cluster.refresh().await {
                    tracing::debug!(%error, "cannot see where the accounts of the cluster are");
                }
            });
        }
        drop(refreshed_at);
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn refresh(&self) -> StoreResult<()> {
        let mut connection = self.coordinator.get_shared().await.map_err(pool_error)?;
        let read = async |connection: &mut AsyncPgConnection| {
            let places = diesel::sql_query(PLACES).bind::<Text, _>(IDENTITY);
            let places = places.load::<PlaceRow>(connection).await?;
            Ok((places, OwnCopies::of_this_server(connection).await?))
        };
        let found = read(connection.start_statement()).await;
        connection.end_statement();
        drop(connection);
        let (places, copies) = found.map_err(store_error)?;
        let before = self.known.read().unwrap_or_else(PoisonError::into_inner).clone();
        let mut servers: Vec<(String, Option<Arc<WorkerNode>>)> = Vec::new();
        let mut shards = Vec::new();
        for place in places {
            let node = match &place.identity {
                None => None,
                Some(identity) => match servers.iter().find(|(of, _)| of == identity) {
                    Some((_, node)) => node.clone(),
                    None => {
                        let node = self.reach(&place, identity, &before).await;
                        servers.push((identity.clone(), node.clone()));
                        node
                    }
                },
            };
            let PlaceRow { last_hash, invoices, line_items, payments, .. } = place;
            let ids = [invoices, line_items, payments];
            let known = before.shards.iter().find(|placed| placed.shard.ids == ids);
            let shard = known.map_or_else(|| Arc::new(Shard::new(ids)), |placed| placed.shard.clone());
            shards.push(PlacedShard { last_hash, shard, node });
        }
        let nodes = servers.into_iter().filter_map(|(_, node)| node).collect();
        let known = Known { shards, nodes, copies: copies.map(Arc::new) };
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(known);
        Ok(())
    }

    /// The node of a place, if it responds and is the server that the coordinator means.
    async fn reach(&self, place: &PlaceRow, identity: &str, before: &Known) -> Option<Arc<WorkerNode>> {
        let port = u16::try_from(place.port).ok()?;
        let is_it = |node: &&Arc<WorkerNode>| node.host == place.host && node.port == port;
        let known = before.nodes.iter().find(is_it).cloned();
        let node = match &known {
            Some(node) => node.clone(),
            None => {
                let server = Some((place.host.clone(), port));
                let pool = Pool::new(&self.url, &PoolOptions { server, ..self.options.clone() }).ok()?;
                Arc::new(WorkerNode { host: place.host.clone(), port, pool })
            }
        };
        match node.pool.get_shared().await {
            Ok(mut connection) => {
                let shown = diesel::sql_query(IDENTITY);
                let shown = shown.get_result::<Identity>(connection.start_statement()).await;
                connection.end_statement();
                shown.is_ok_and(|shown| shown.identity == identity).then_some(node)
            }
            // All of its connections are in use, so it can be reached.
            Err(GetError::Timeout(_)) => known,
            Err(_) => None,
        }
    }
}
