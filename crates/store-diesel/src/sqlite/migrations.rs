//! The schema's steps on SQLite. One process at a time takes them: the whole is one writing transaction.

use diesel_migrations::{EmbeddedMigrations, embed_migrations};
use kernel::StoreError;
use kernel::errors::Source;

use super::pool::Pool;
use crate::steps;

pub(super) const STEPS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

/// Whether the database has seen any step.
pub(super) const HAS_BEGUN: &str = "EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '__diesel_schema_migrations')";

pub(super) async fn up(pool: &Pool) -> Result<(), StoreError> {
    pool.aside(|connection| {
        connection.immediate_transaction::<_, Source, _>(|connection| steps::up(connection, STEPS))
    })
    .await
}

pub(super) async fn down(pool: &Pool) -> Result<(), StoreError> {
    pool.aside(|connection| {
        connection
            .immediate_transaction::<_, Source, _>(|connection| steps::down(connection, STEPS))
    })
    .await
}
