//! `migrate`: applies pending migrations, reverts the last one, or shows their status.

use std::sync::Arc;

use anyhow::{Context as _, bail};
use serde::Serialize;
use store_diesel::{Announce, Migrations};

use super::require_database;
use crate::cli::MigrateTo;
use crate::logging;
use crate::message_language;
use crate::output::Output;
use crate::settings::{LogFormat, Settings};
use crate::wiring::Dependencies;

#[derive(Serialize)]
struct MigrationsOutput {
    applied: Vec<String>,
    pending: Vec<String>,
}

/// Runs `migrate`.
pub async fn run(mut settings: Settings, to: MigrateTo, citus: bool, output: Output) -> anyhow::Result<()> {
    settings.citus |= citus;
    settings.check_citus()?;
    // What a migration waits for is logged.
    logging::begin(settings.rust_log.filter(), settings.log_format == LogFormat::Json, None)?;
    if to != MigrateTo::Up {
        require_database(&settings)?;
    }
    let store = Dependencies::open(Arc::new(settings), Announce::Everywhere).await?.store;
    message_language::warn(&*store.checkup).await;
    let upkeep = store.upkeep;
    let migrations = match to {
        MigrateTo::Up => upkeep.migrate_up().await,
        MigrateTo::Down => match newer(&upkeep.migrations().await?) {
            Some(fault) => bail!("cannot revert the last migration: {fault}"),
            None => upkeep.migrate_down().await,
        },
        MigrateTo::Status => upkeep.migrations().await,
    };
    let migrations = migrations.context("cannot migrate the database")?;
    let fault = newer(&migrations);
    let shown = MigrationsOutput { applied: migrations.applied, pending: migrations.pending };
    let output = if to == MigrateTo::Status { output.of_reading() } else { output };
    output.show(&shown, |shown| {
        let applied = shown.applied.iter().map(|name| format!("applied  {name}"));
        let pending = shown.pending.iter().map(|name| format!("pending  {name}"));
        applied.chain(pending).chain(fault).collect::<Vec<_>>().join("\n")
    })
}

/// What to do about migrations that this version does not know; `None` if it knows all.
pub(super) fn newer(found: &Migrations) -> Option<String> {
    let newer: Vec<_> = found.newer().collect();
    let fault = || {
        let newer = newer.join(", ");
        format!("{newer} were applied by a newer version of Countinghouse: install that version here too")
    };
    (!newer.is_empty()).then(fault)
}
