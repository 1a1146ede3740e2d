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

/// The arguments of the command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// What to measure.
    #[arg(value_enum, default_value_t = What::All)]
    what: What,
    /// The database to measure on.
    #[arg(long, value_enum, default_value_t = On::Both)]
    database: On,
    /// How long each figure and each floor is measured in each round.
    #[arg(long, default_value_t = 2)]
    seconds: u32,
    /// How often service and floor are measured in turns.
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// Adds an account with a million invoices: takes a few minutes and 4 GB of disk more.
    #[arg(long)]
    large: bool,
    /// How many old rows the part `retention` writes and the service removes: 6 GB for ten million.
    #[arg(long, default_value_t = 10_000_000)]
    old_rows: u32,
    /// Numbers of concurrent connections.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 8, 32])]
    connections: Vec<u32>,
    /// Only cases whose name contains this text.
    #[arg(long)]
    only: Option<String>,
    /// The build profile of the measured service.
    #[arg(long, value_enum, default_value_t = Profile::Dist)]
    profile: Profile,
    /// Print one JSON value instead of a table.
    #[arg(long)]
    json: bool,
}

/// The parts that can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// Requests a second, compared with the floors of the database and of HTTP.
    Requests,
    /// The dashboard, its export of invoices, and the API during sign-ins.
    Pages,
    /// Reminders, and the messages of customers.
    Communications,
    /// Deliveries of webhooks.
    Webhooks,
    /// Start, memory, size.
    Process,
    /// The removal of old rows, by default ten million. Not part of `all`.
    Retention,
    /// Everything but `retention`.
    All,
}

impl Options {
    fn wants(&self, what: What) -> bool {
        self.what == what || self.what == What::All
    }

    /// Whether the options select the case with this name.
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
    app::output::Output::new(false).line(&text)
}
