//! `migrate`: applies pending migrations, reverts the last one, or shows their status.

use anyhow::Context as _;
use serde::Serialize;
use store_diesel::Announce;

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
    let store = Dependencies::open(&settings, Announce::Everywhere).await?.store;
    message_language::warn(&*store.checkup).await;
    let upkeep = store.upkeep;
    let migrations = match to {
        MigrateTo::Up => upkeep.migrate_up().await,
        MigrateTo::Down => upkeep.migrate_down().await,
        MigrateTo::Status => upkeep.migrations().await,
    };
    let migrations = migrations.context("cannot migrate the database")?;
    let shown = MigrationsOutput { applied: migrations.applied, pending: migrations.pending };
    output.show(&shown, |shown| {
        let applied = shown.applied.iter().map(|name| format!("applied  {name}"));
        let pending = shown.pending.iter().map(|name| format!("pending  {name}"));
        applied.chain(pending).collect::<Vec<_>>().join("\n")
    })
}
