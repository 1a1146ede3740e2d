//! `cargo xtask bench`: how fast the service is, each figure beside its floor.
//!
//! A figure alone says more about the machine, and about what else it is doing, than about the service. So
//! each is measured in turns with a floor in the same run: what the same database does with the same
//! statements and nothing in between, and what the same HTTP server does when it answers the same bytes out
//! of memory. What counts is the ratio, and how far it spreads over the rounds.
//!
//! It starts everything on loopback, with the binary of the profile `dist` or of the one that is asked for,
//! and removes it afterwards.

mod bare_http;
mod case;
mod communications;
mod environment;
mod figure;
mod floor;
mod inbound_mail;
mod open_checkouts;
mod pages;
mod payments;
mod pending_deliveries;
mod process;
mod receiver;
mod reminder_plan;
mod requests;
mod retention;
mod settle;
mod sqlite_loop;
mod tenants;
mod understanding;
mod webhooks;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::bail;
use clap::{Args, ValueEnum};

use crate::fixtures::build::{self, Profile};
use crate::fixtures::database::On;
use crate::fixtures::terminal::progress;
use environment::Environment;

/// What the command line asks for.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// What to measure.
    #[arg(value_enum, default_value_t = What::All)]
    what: What,
    /// On which database.
    #[arg(long, value_enum, default_value_t = On::Both)]
    database: On,
    /// How long each figure and each floor is measured in each round.
    #[arg(long, default_value_t = 2)]
    seconds: u32,
    /// How often service and floor take turns.
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// With an account of a million invoices too: a few minutes and 4 GB of disk more.
    #[arg(long)]
    large: bool,
    /// How many old rows the part `retention` writes and has removed: 6 GB for ten million.
    #[arg(long, default_value_t = 10_000_000)]
    old_rows: u32,
    /// How many connections press at once.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 8, 32])]
    connections: Vec<u32>,
    /// Only cases whose name has this in it.
    #[arg(long)]
    only: Option<String>,
    /// How what is measured is compiled.
    #[arg(long, value_enum, default_value_t = Profile::Dist)]
    profile: Profile,
    /// Print one JSON value in place of a table.
    #[arg(long)]
    json: bool,
}

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// Requests a second, beside the database's floor and that of HTTP.
    Requests,
    /// The dashboard, its file of invoices, and the API beside sign-ins.
    Pages,
    /// Reminders, and the messages of customers.
    Communications,
    /// Deliveries of webhooks.
    Webhooks,
    /// Start, memory, size.
    Process,
    /// The removal of old rows, ten million of them unless said otherwise. Not part of `all`.
    Retention,
    /// Everything.
    All,
}

impl Options {
    fn wants(&self, what: What) -> bool {
        self.what == what || self.what == What::All
    }

    /// Whether a case of this name is to be measured.
    fn wants_case(&self, name: &str) -> bool {
        self.only.as_deref().is_none_or(|only| name.contains(only))
    }

    /// How long one measurement takes.
    fn span(&self) -> Duration {
        Duration::from_secs(self.seconds.max(1).into())
    }

    /// The numbers of the rounds, from 1.
    fn rounds(&self) -> impl Iterator<Item = u32> + use<> {
        1..=self.rounds.max(1)
    }
}

/// Measures and prints, from an optimised build: a development build of the load generator would measure
/// itself. It is for trying cases out.
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
            figures.extend(communications::measure(&environment).await?);
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
    app::output::Output { json: false }.line(&text)
}
