//! The migrations of the schema, as both databases apply them.

use diesel::backend::Backend;
use diesel::migration::{Migration, MigrationSource, Result as MigrationResult};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness};
use kernel::errors::Source;

use crate::ports::Migrations;

/// The migrations of one database: its own, and those whose SQL is the same on both.
pub struct MigrationSet {
    pub own: EmbeddedMigrations,
    pub both: EmbeddedMigrations,
}

impl<D: Backend> MigrationSource<D> for MigrationSet {
    fn migrations(&self) -> MigrationResult<Vec<Box<dyn Migration<D>>>> {
        let mut all = MigrationSource::<D>::migrations(&self.own)?;
        all.extend(MigrationSource::<D>::migrations(&self.both)?);
        Ok(all)
    }
}

/// Sorts the migrations into applied and pending ones, by the versions that the database has recorded. A
/// version that this program does not know was applied by a newer one.
pub fn sort<D: Backend>(set: &MigrationSet, applied: Vec<String>) -> Result<Migrations, Source> {
    let mut known: Vec<(String, String)> = MigrationSource::<D>::migrations(set)?
        .iter()
        .map(|one| (one.name().version().to_string(), one.name().to_string()))
        .collect();
    known.sort();
    let name_of = |version: &String| {
        let named = known.iter().find(|(known, _)| known == version);
        named.map_or_else(|| version.clone(), |(_, name)| name.clone())
    };
    let pending =
        known.iter().filter(|(version, _)| !applied.contains(version)).map(|(_, name)| name.clone());
    Ok(Migrations { pending: pending.collect(), applied: applied.iter().map(name_of).collect() })
}

/// Applies every migration that is pending.
pub fn up<D: Backend>(connection: &mut impl MigrationHarness<D>, set: MigrationSet) -> Result<(), Source> {
    connection.run_pending_migrations(set).map(|_applied| ())
}

/// Reverts the last migration, if any was applied.
pub fn down<D: Backend>(connection: &mut impl MigrationHarness<D>, set: MigrationSet) -> Result<(), Source> {
    if connection.applied_migrations()?.is_empty() {
        return Ok(());
    }
    connection.revert_last_migration(set).map(|_reverted| ())
}
