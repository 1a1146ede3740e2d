//! `cargo xtask bench`: how fast the service is, each figure beside its floor.
//!
//! A figure alone says more about the machine, and about what else it is doing, than about the service. So
//! each is measured in turns with a floor in the same run: what the same database does when somebody speaks
//! to it with nothing in between, and what the same HTTP server does when it answers the same bytes out of
//! memory. What counts is the ratio, and how far it spreads over the rounds.
//!
//! It starts whatever it needs on loopback, with the binary of the profile `dist`, and takes it all away
//! again.

mod bare_http;
mod case;
mod environment;
mod figure;
mod floor;
mod load;
mod measure;
mod options;
mod payments;
mod pending_deliveries;
mod pgbench;
mod process;
mod receiver;
mod requests;
mod sql_steps;
mod sqlite_loop;
mod table;
mod tenants;
mod webhook_floor;
mod webhooks;

use std::path::Path;
use std::process::ExitCode;

use indicatif::ProgressBar;

pub(crate) use options::Options;

use environment::Environment;
use figure::Figure;
use options::What;

use crate::fixtures::build;
use crate::fixtures::database_kind::Kind;
use crate::fixtures::progress::progress;

/// Measures and prints, from an optimised build: a development build of the load generator would measure
/// itself.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<ExitCode> {
    if cfg!(debug_assertions) {
        return build::rerun_optimised(root);
    }
    app::block_on(measure(options))?;
    Ok(ExitCode::SUCCESS)
}

async fn measure(options: &Options) -> anyhow::Result<()> {
    let progress = progress()?;
    let mut figures = Vec::new();
    for kind in options.kinds() {
        figures.extend(on_one_database(kind, options, &progress).await?);
    }
    progress.finish_and_clear();
    let text = if options.json { table::json(&figures)? } else { table::text(&figures) };
    app::output::Output { json: false }.line(&text)
}

async fn on_one_database(
    kind: Kind,
    options: &Options,
    progress: &ProgressBar,
) -> anyhow::Result<Vec<Figure>> {
    let Some(environment) = Environment::start(kind, options, progress).await? else {
        progress.println("no PostgreSQL binaries (initdb, pg_ctl, psql, pgbench): its figures are left out");
        return Ok(Vec::new());
    };
    let mut figures = Vec::new();
    if options.wants(What::Requests) {
        figures.extend(requests::measure(&environment, options, progress).await?);
    }
    if options.wants(What::Webhooks) {
        figures.extend(webhooks::measure(&environment, options, progress).await?);
    }
    if options.wants(What::Process) {
        figures.extend(process::measure(&environment, options, progress).await?);
    }
    Ok(figures)
}
