//! `cargo xtask bench`: how fast the service is, each figure beside its floor.
//!
//! A figure alone says more about the machine, and about what else it is doing, than about the service. So each is measured in
//! turns with a floor in the same run: what the same database does when somebody speaks to it with nothing in between, and what the
//! same HTTP server does when it answers the same bytes out of memory. What counts is the ratio, and how far it spreads over the rounds.
//!
//! It starts whatever it needs on loopback, with the release binary, and takes it all away again.

mod authority;
mod bare;
mod build;
mod case;
mod client;
mod cluster;
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
mod service;
mod sqlite_loop;
mod stage;
mod steps;
mod table;
mod tenants;
mod webhooks;

use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};

pub(crate) use plan::Wanted;

use figure::Figure;
use plan::{Kind, What};
use stage::Stage;

/// Measures and prints, from a release build: a development build of the load generator would measure itself.
pub(crate) fn run(root: &Path, wanted: &Wanted) -> anyhow::Result<()> {
    if cfg!(debug_assertions) {
        return build::again_in_release(root);
    }
    app::block_on(measure(wanted))
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

fn progress() -> anyhow::Result<ProgressBar> {
    let form = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}")?;
    let bar = ProgressBar::new_spinner().with_style(form);
    bar.enable_steady_tick(std::time::Duration::from_millis(200));
    Ok(bar)
}
