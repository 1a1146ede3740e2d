//! The schema's steps on PostgreSQL. One process at a time takes them: the others wait for its advisory lock.

use diesel::pg::Pg;
use diesel_async::async_connection_wrapper::AsyncConnectionWrapper;
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use kernel::StoreError;
use kernel::errors::Source;

use super::pool::Pool;
use crate::errors::store_error;
use crate::steps;

pub(super) const STEPS: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

/// Whether the database has seen any step.
pub(super) const HAS_BEGUN: &str = "to_regclass('__diesel_schema_migrations') IS NOT NULL";

/// Two numbers, so that it is no lock of an idempotency key, which is one.
const TAKE_TURNS: &str = "SELECT pg_advisory_lock(1668248436, 1)";

type Harness = AsyncConnectionWrapper<AsyncPgConnection>;

pub(super) async fn up(pool: &Pool) -> Result<(), StoreError> {
    in_turn(pool, |connection| steps::up::<Pg>(connection, STEPS)).await
}

pub(super) async fn down(pool: &Pool) -> Result<(), StoreError> {
    in_turn(pool, |connection| steps::down::<Pg>(connection, STEPS)).await
}

/// Works on a connection of its own, without the time limits of the others. The lock goes with the connection.
async fn in_turn(
    pool: &Pool,
    work: impl FnOnce(&mut Harness) -> Result<(), Source> + Send + 'static,
) -> Result<(), StoreError>
where
    Harness: MigrationHarness<Pg>,
{
    let mut connection = pool.connect_aside().await?;
    let locked = connection.batch_execute(TAKE_TURNS).await;
    locked.map_err(store_error)?;
    let done = pool.runtime().spawn_blocking(move || {
        let mut connection = Harness::from(connection);
        work(&mut connection)
    });
    done.await
        .map_err(|source| StoreError::Failed(source.into()))?
        .map_err(StoreError::Failed)
}
