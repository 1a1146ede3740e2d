//! `cargo xtask bench`: how fast the service is, each figure compared with its floor.
//!
//! A figure alone depends more on the machine and its other work than on the service. So each is measured in
//! turns with a floor in the same run: the same database running the same statements with nothing in between,
//! and the same HTTP server returning the same bytes from memory. The result is the ratio and its spread over
//! the rounds.
//!
//! The command starts everything on loopback, with the binary of the profile `dist` or the requested one, and
//! removes everything afterwards.

mod bare_http;
mod case;
mod environment;
mod figure;
mod floor;
mod inbound_mail;
mod open_checkouts;
mod options;
mod pages;
mod payments;
mod pending_deliveries;
mod pgbench_tables;
mod process;
mod receiver;
mod reminder_plan;
mod requests;
mod retention;
mod script;
mod settle;
mod sqlite_file;
mod sqlite_loop;
mod tenants;
mod understanding;
mod webhooks;

use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;

use crate::fixtures::build::{self, Profile};
use crate::fixtures::database::On;
use crate::fixtures::terminal::progress;
use environment::Environment;
pub(crate) use options::Options;
use options::What;

/// Measures and prints, from an optimised build: with a development build, the load generator would limit the
/// figures. Use `dev` only to try cases out.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<ExitCode> {
    if options.database == On::Citus {
        bail!("a cluster is measured by tests/citus/bench.py, beside one PostgreSQL");
    }
    if cfg!(debug_assertions) && options.profile != Profile::Dev {
        return build::rerun(root, options.profile);
    }
    if cfg!(debug_assertions) {
        build::build(root, Profile::Dev)?;
    }
    app::block_on(measure(options))?;
    Ok(ExitCode::SUCCESS)
}

async fn measure(options: &Options) -> anyhow::Result<()> {
    let progress = progress()?;
    let mut figures = Vec::new();
    if options.wants(What::Communications) {
        figures.extend(understanding::measure(options)?);
    }
    for kind in options.database.kinds() {
        let Some(environment) = Environment::start(*kind, options, &progress).await? else {
            progress
                .println("no PostgreSQL binaries (initdb, pg_ctl, psql, pgbench): its figures are left out");
            continue;
        };
        if options.wants(What::Requests) {
            figures.extend(requests::measure(&environment).await?);
        }
        if options.wants(What::Pages) {
            figures.extend(pages::measure(&environment).await?);
        }
        if options.wants(What::Communications) {
            // The incoming mail answers the reminders of the plan.
            figures.extend(reminder_plan::measure(&environment).await?);
            figures.extend(inbound_mail::measure(&environment).await?);
        }
        if options.wants(What::Webhooks) {
            figures.extend(webhooks::measure(&environment).await?);
        }
        if options.what == What::Retention {
            figures.extend(retention::measure(&environment).await?);
        }
        if options.wants(What::Process) {
            figures.extend(process::measure(&environment).await?);
        }
    }
    progress.finish_and_clear();
    let text = if options.json { figure::json(&figures)? } else { figure::text(&figures) };
    app::output::Output::new(false).line(&text)
}
