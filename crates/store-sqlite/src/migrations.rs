//! Applying migrations on SQLite, all in one transaction.

use diesel_migrations::embed_migrations;
use kernel::StoreResult;
use kernel::errors::Source;
use store_schema::migration_set::{self, MigrationSet};

use super::pool::Pool;

pub(super) const MIGRATIONS: MigrationSet = MigrationSet {
    own: embed_migrations!("../../migrations/sqlite"),
    both: embed_migrations!("../../migrations/both"),
};

/// Whether any migration was ever applied.
pub(super) const HAS_BEGUN: &str =
    "EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '__diesel_schema_migrations')";

pub(super) async fn up(pool: &Pool) -> StoreResult<()> {
    pool.aside(|connection| {
        connection
            .immediate_transaction::<_, Source, _>(|connection| migration_set::up(connection, MIGRATIONS))
    })
    .await
}

pub(super) async fn down(pool: &Pool) -> StoreResult<()> {
    pool.aside(|connection| {
        connection
            .immediate_transaction::<_, Source, _>(|connection| migration_set::down(connection, MIGRATIONS))
    })
    .await
}

/// Always empty: tables in a file are not distributed.
pub(super) async fn placement_faults(_pool: &Pool) -> StoreResult<Vec<String>> {
    Ok(Vec::new())
}
