//! `cargo xtask bench`: how fast the service is, each figure beside its floor.
//!
//! A figure alone says more about the machine, and about what else it is doing, than about the service. So each is measured in
//! turns with a floor in the same run: what the same database does when somebody speaks to it with nothing in between, and what the
//! same HTTP server does when it answers the same bytes out of memory. What counts is the ratio, and how far it spreads over the rounds.
//!
//! It starts whatever it needs on loopback, with the binary of the profile `dist`, and takes it all away again.

mod bare;
mod case;
mod figure;
mod floor;
mod load;
mod measure;
mod payments;
mod pending;
mod pgbench;
mod plan;
mod posts;
mod process;
mod receiver;
mod requests;
mod sqlite_loop;
mod stage;
mod steps;
mod table;
mod tenants;
mod webhooks;

use std::path::Path;
use std::process::ExitCode;

use indicatif::ProgressBar;

pub(crate) use plan::Wanted;

use figure::Figure;
use plan::What;
use stage::Stage;

use crate::stand::build;
use crate::stand::kind::Kind;
use crate::stand::progress::progress;

/// Measures and prints, from an optimised build: a development build of the load generator would measure itself.
pub(crate) fn run(root: &Path, wanted: &Wanted) -> anyhow::Result<ExitCode> {
    if cfg!(debug_assertions) {
        return build::rerun_optimised(root);
    }
    app::block_on(measure(wanted))?;
    Ok(ExitCode::SUCCESS)
}

async fn measure(wanted: &Wanted) -> anyhow::Result<()> {
    let progress = progress()?;
    let mut figures = Vec::new();
    for kind in wanted.kinds() {
        figures.extend(on_one_database(kind, wanted, &progress).await?);
    }
    progress.finish_and_clear();
    let text = if wanted.json {
        table::json(&figures)?
    } else {
        table::text(&figures)
    };
    app::output::Output { json: false }.line(&text)
}

async fn on_one_database(
    kind: Kind,
    wanted: &Wanted,
    progress: &ProgressBar,
) -> anyhow::Result<Vec<Figure>> {
    let Some(stage) = Stage::set(kind, wanted, progress).await? else {
        progress.println(
            "no PostgreSQL binaries (initdb, pg_ctl, psql, pgbench): its figures are left out",
        );
        return Ok(Vec::new());
    };
    let mut figures = Vec::new();
    if wanted.wants(What::Requests) {
        figures.extend(requests::measure(&stage, wanted, progress).await?);
    }
    if wanted.wants(What::Webhooks) {
        figures.extend(webhooks::measure(&stage, wanted, progress).await?);
    }
    if wanted.wants(What::Process) {
        figures.extend(process::measure(&stage, wanted, progress).await?);
    }
    Ok(figures)
}
