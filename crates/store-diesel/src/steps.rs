//! The schema's steps, as both databases take them.

use diesel::backend::Backend;
use diesel::migration::MigrationSource;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness};
use kernel::errors::Source;

use crate::ports::Migrations;

/// Sorts the steps into those that were taken, by the versions that the database knows, and those that were not. A version that this
/// program does not know was taken by a newer one.
pub(crate) fn sort<D: Backend>(
    steps: &EmbeddedMigrations,
    taken: Vec<String>,
) -> Result<Migrations, Source> {
    let mut known: Vec<(String, String)> = MigrationSource::<D>::migrations(steps)?
        .iter()
        .map(|step| (step.name().version().to_string(), step.name().to_string()))
        .collect();
    known.sort();
    let name_of = |version: &String| {
        let step = known.iter().find(|(known, _)| known == version);
        step.map_or_else(|| version.clone(), |(_, name)| name.clone())
    };
    let pending = known
        .iter()
        .filter(|(version, _)| !taken.contains(version))
        .map(|(_, name)| name.clone());
    Ok(Migrations {
        applied: taken.iter().map(name_of).collect(),
        pending: pending.collect(),
    })
}

/// Takes every step that is pending.
pub(crate) fn up<D: Backend>(
    connection: &mut impl MigrationHarness<D>,
    steps: EmbeddedMigrations,
) -> Result<(), Source> {
    connection.run_pending_migrations(steps).map(|_taken| ())
}

/// Takes the last step back, if any was taken.
pub(crate) fn down<D: Backend>(
    connection: &mut impl MigrationHarness<D>,
    steps: EmbeddedMigrations,
) -> Result<(), Source> {
    if connection.applied_migrations()?.is_empty() {
        return Ok(());
    }
    connection
        .revert_last_migration(steps)
        .map(|_taken_back| ())
}
