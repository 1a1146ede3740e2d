//! Applying migrations on PostgreSQL. One process at a time does so, under an advisory lock.

use citus_tables::Migration;
use diesel::QueryResult;
use diesel::pg::Pg;
use diesel_async::async_connection_wrapper::AsyncConnectionWrapper;
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use diesel_migrations::{MigrationHarness, embed_migrations};
use kernel::StoreError;
use kernel::errors::Source;
use store_schema::errors::store_error;
use store_schema::migration_set::{self, MigrationSet};

use super::pool::Pool;

pub(super) const MIGRATIONS: MigrationSet = MigrationSet {
    own: embed_migrations!("../../migrations/postgres"),
    both: embed_migrations!("../../migrations/both"),
};

/// All migrations with their SQL, in order.
const WITH_TEXTS: &[Migration] = include!(concat!(env!("OUT_DIR"), "/postgres_migrations.rs"));

/// Whether any migration was ever applied.
pub(super) const HAS_BEGUN: &str = "to_regclass('__diesel_schema_migrations') IS NOT NULL";

/// A key of two numbers: the locks of idempotency keys have keys of one.
const LOCK: &str = "SELECT pg_advisory_lock(1668248436, 1)";

type Harness = AsyncConnectionWrapper<AsyncPgConnection>;

pub(super) async fn up(pool: &Pool) -> Result<(), StoreError> {
    if pool.layout().is_distributed() {
        return on_cluster(pool, async |connection| citus_tables::up(connection, WITH_TEXTS).await).await;
    }
    locked(pool, |connection| migration_set::up::<Pg>(connection, MIGRATIONS)).await
}

pub(super) async fn down(pool: &Pool) -> Result<(), StoreError> {
    if pool.layout().is_distributed() {
        return on_cluster(pool, async |connection| citus_tables::down(connection, WITH_TEXTS).await).await;
    }
    locked(pool, |connection| migration_set::down::<Pg>(connection, MIGRATIONS)).await
}

/// The misplaced tables, one line each.
pub(super) async fn placement_faults(pool: &Pool) -> Result<Vec<String>, StoreError> {
    let mut connection = pool.read_shared().await?;
    let found = citus_tables::faults(connection.conn()?, pool.layout().is_distributed()).await;
    connection.settle(found)
}

/// Runs `work` for a cluster, where migrations are applied statement by statement.
async fn on_cluster(
    pool: &Pool,
    work: impl AsyncFnOnce(&mut AsyncPgConnection) -> QueryResult<()>,
) -> Result<(), StoreError> {
    let mut connection = pool.connect_unpooled().await?;
    connection.batch_execute(LOCK).await.map_err(store_error)?;
    work(&mut connection).await.map_err(store_error)
}

/// Runs `work` on a connection of its own, without statement timeout. The lock ends with the connection.
async fn locked(
    pool: &Pool,
    work: impl FnOnce(&mut Harness) -> Result<(), Source> + Send + 'static,
) -> Result<(), StoreError>
where
    Harness: MigrationHarness<Pg>,
{
    let mut connection = pool.connect_unpooled().await?;
    let locked = connection.batch_execute(LOCK).await;
    locked.map_err(store_error)?;
    let done = pool.runtime().spawn_blocking(move || {
        let mut connection = Harness::from(connection);
        work(&mut connection)
    });
    done.await.map_err(|source| StoreError::Failed(source.into()))?.map_err(StoreError::Failed)
}
