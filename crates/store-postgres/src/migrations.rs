//! Applying migrations on PostgreSQL. One process at a time does so, under an advisory lock.
//!
//! A statement that waits for a table makes every later statement on that table wait behind it. So no
//! migration waits for long: it is rolled back and tried again, until whoever reads the table has ended.

use std::fmt::Display;
use std::time::Duration;

use citus_tables::Migration;
use diesel::pg::Pg;
use diesel::sql_types::Bool;
use diesel::{QueryResult, QueryableByName};
use diesel_async::async_connection_wrapper::AsyncConnectionWrapper;
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use diesel_migrations::embed_migrations;
use kernel::errors::Source;
use kernel::{StoreError, StoreResult};
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
const TRY_LOCK: &str = "SELECT pg_try_advisory_lock(1668248436, 1) AS taken";

/// How long a statement waits for a table. Requests for that table wait as long.
const LIMIT_WAITS: &str = "SET lock_timeout = '2s'";

/// What PostgreSQL says when a statement has waited that long.
const WAITED_TOO_LONG: &str = "due to lock timeout";

/// How long requests have the tables between two attempts.
const BETWEEN_ATTEMPTS: Duration = Duration::from_secs(3);

type Harness = AsyncConnectionWrapper<AsyncPgConnection>;

pub(super) async fn up(pool: &Pool) -> StoreResult<()> {
    if pool.layout().is_distributed() {
        return on_cluster(pool, async |connection| citus_tables::up(connection, WITH_TEXTS).await).await;
    }
    on_one_server(pool, |connection| migration_set::up::<Pg>(connection, MIGRATIONS)).await
}

pub(super) async fn down(pool: &Pool) -> StoreResult<()> {
    if pool.layout().is_distributed() {
        return on_cluster(pool, async |connection| citus_tables::down(connection, WITH_TEXTS).await).await;
    }
    on_one_server(pool, |connection| migration_set::down::<Pg>(connection, MIGRATIONS)).await
}

/// The misplaced tables, one line each.
pub(super) async fn placement_faults(pool: &Pool) -> StoreResult<Vec<String>> {
    let mut connection = pool.read_shared().await?;
    let found = citus_tables::faults(connection.conn()?, pool.layout().is_distributed()).await;
    connection.settle(found)
}

/// Runs `work` for a cluster, where migrations are applied statement by statement.
async fn on_cluster(
    pool: &Pool,
    work: impl AsyncFn(&mut AsyncPgConnection) -> QueryResult<()>,
) -> StoreResult<()> {
    let mut connection = locked(pool).await?;
    let mut waits = Waits::default();
    loop {
        match work(&mut connection).await {
            Err(error) if waited_too_long(&error) => {
                connection.batch_execute("ROLLBACK").await.map_err(store_error)?;
                waits.pause(&error).await;
            }
            done => return done.map_err(store_error),
        }
    }
}

/// Runs `work`, which blocks, on a thread of its own.
async fn on_one_server(pool: &Pool, work: fn(&mut Harness) -> Result<(), Source>) -> StoreResult<()> {
    let mut connection = locked(pool).await?;
    let mut waits = Waits::default();
    loop {
        let attempt = pool.runtime().spawn_blocking(move || {
            let mut harness = Harness::from(connection);
            let done = work(&mut harness);
            (harness.into_inner(), done)
        });
        let done;
        (connection, done) = attempt.await.map_err(|source| StoreError::Failed(source.into()))?;
        match done {
            Err(error) if waited_too_long(&error) => waits.pause(&error).await,
            done => return done.map_err(StoreError::Failed),
        }
    }
}

#[derive(QueryableByName)]
struct LockRow {
    #[diesel(sql_type = Bool)]
    taken: bool,
}

/// A connection of its own, without statement timeout, that has the lock. The lock ends with the connection.
async fn locked(pool: &Pool) -> StoreResult<AsyncPgConnection> {
    let mut connection = pool.connect_unpooled().await?;
    let lock = diesel::sql_query(TRY_LOCK).get_result::<LockRow>(&mut connection);
    if !lock.await.map_err(store_error)?.taken {
        tracing::info!("another process migrates the database: waiting until it has finished");
        connection.batch_execute(LOCK).await.map_err(store_error)?;
    }
    connection.batch_execute(LIMIT_WAITS).await.map_err(store_error)?;
    Ok(connection)
}

/// Whether a migration failed because a table was in use. diesel's error is not exported.
fn waited_too_long(error: &impl Display) -> bool {
    error.to_string().contains(WAITED_TOO_LONG)
}

/// The waits for tables that others use.
#[derive(Default)]
struct Waits {
    /// Whether the log says what is waited for.
    are_logged: bool,
}

impl Waits {
    async fn pause(&mut self, error: &impl Display) {
        if !self.are_logged {
            tracing::warn!(
                %error,
                "a table that is migrated is in use, for example by pg_dump or by a long transaction: trying until it is free"
            );
            self.are_logged = true;
        }
        tokio::time::sleep(BETWEEN_ATTEMPTS).await;
    }
}
