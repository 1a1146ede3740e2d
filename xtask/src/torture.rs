//! `cargo xtask torture`: fault injection under load.
//!
//! Each scenario starts what it needs on loopback, puts load on the service with clients that record every
//! response, injects a fault repeatedly, and at the end compares the recorded responses with the database,
//! the API and what receivers of webhooks got. Random choices come from a seed that is printed; the same seed
//! gives the same choices.

mod api_checks;
mod caller;
mod client_actions;
mod clients;
mod communications;
mod crash;
mod database;
mod disk;
mod environment;
mod expectations;
mod hostile_clients;
mod inspect;
mod leading_clock;
mod load;
mod money;
mod neighbours;
mod operator_actions;
mod outage;
mod receiver;
mod report;
mod response_log;
mod rolling;
mod stored_records;
mod workers;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use kernel::{SecureRandom as _, SystemRandom};

use crate::fixtures::build;
use crate::fixtures::cluster::citus_programs;
use crate::fixtures::database::{DatabaseKind, On};
use crate::fixtures::small_disk::SmallDisk;
use crate::fixtures::terminal::progress;
use environment::{Environment, Shared};
use report::{Check, Row};

/// Longer than any scenario takes without a failure, and the additional time for each kill in the scenario
/// `crash`.
const SCENARIO_WITHIN: Duration = Duration::from_secs(400);
const KILLED_WITHIN: Duration = Duration::from_secs(4);
/// The additional time for each charge in the scenario `money`, with its consequences.
const CHARGED_WITHIN: Duration = Duration::from_millis(400);
/// The additional time for each message in the scenario `communications`.
const SENT_WITHIN: Duration = Duration::from_secs(4);

/// The arguments of the command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Run only this scenario.
    #[arg(long, value_enum)]
    only: Option<Scenario>,
    /// The database to run on.
    #[arg(long, value_enum, default_value_t = On::Both)]
    database: On,
    /// The seed of all random choices: use a printed seed to repeat that run. Default: a new one each time.
    #[arg(long)]
    seed: Option<u32>,
    /// How often the service is killed in the scenario of that name.
    #[arg(long, default_value_t = 50)]
    kills: u32,
    /// How many charges are made in the scenario `money`.
    #[arg(long, default_value_t = 10_000)]
    charges: u32,
    /// How many reminders are sent in the scenario `communications`.
    #[arg(long, default_value_t = 300)]
    messages: u32,
    /// How long the load runs before and after each fault.
    #[arg(long, default_value_t = 6)]
    seconds: u32,
    /// Print one JSON value instead of a table.
    #[arg(long)]
    json: bool,
    /// Run against the development build beside this program, without building anything.
    #[arg(long)]
    debug_build: bool,
}

/// The scenarios.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, strum::Display, serde::Serialize)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
enum Scenario {
    /// `kill -9` of the service at random moments.
    Crash,
    /// The database dies, refuses connections, hangs, and recovers.
    Database,
    /// Redis, the mail server and the receivers of webhooks become unreachable and come back.
    Neighbours,
    /// Two services on one PostgreSQL: one is killed, or restarted, at a time.
    Rolling,
    /// Hostile clients beside correct ones.
    Clients,
    /// The disk of the database is full, slow, or hangs.
    Disk,
    /// Online payments through a faulty gateway, while the service is killed.
    Money,
    /// Reminders are sent and replies come in for weeks of the service's clock, while the service is killed.
    Communications,
}

impl Scenario {
    /// Whether the scenario is run on this database.
    const fn is_for(self, kind: DatabaseKind) -> bool {
        match kind {
            DatabaseKind::Postgres => true,
            // Two services can share a PostgreSQL, but not an embedded database.
            DatabaseKind::Sqlite => !matches!(self, Self::Rolling),
            DatabaseKind::Citus => matches!(self, Self::Crash | Self::Database | Self::Rolling),
        }
    }
}

/// Runs the scenarios from an optimised build and prints the results. The exit status says whether every
/// check held.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<ExitCode> {
    if cfg!(debug_assertions) && !options.debug_build {
        return build::rerun_optimised(root);
    }
    let mut holds = false;
    app::block_on(async {
        holds = run_all(options).await?;
        Ok(())
    })?;
    Ok(if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn run_all(options: &Options) -> anyhow::Result<bool> {
    let mut drawn = [0; 4];
    if options.seed.is_none() {
        SystemRandom::default().fill(&mut drawn);
    }
    let seed = options.seed.unwrap_or(u32::from_le_bytes(drawn));
    let progress = progress()?;
    progress.println(format!("seed {seed}"));
    let mut rows = Vec::new();
    options.check_citus()?;
    for kind in options.database.kinds() {
        let asked_for = |scenario: &&Scenario| options.only.is_none_or(|only| only == **scenario);
        for scenario in Scenario::value_variants().iter().filter(asked_for) {
            if scenario.is_for(*kind) {
                rows.extend(run_one(*kind, *scenario, options, seed, &progress).await);
            }
        }
    }
    progress.finish_and_clear();
    let text = if options.json { report::json(&rows, seed)? } else { report::text(&rows, seed) };
    app::output::Output::new(false).line(&text)?;
    Ok(report::all_holds(&rows))
}

/// Runs one scenario. An error in it is reported as a failed check, so that the other scenarios are still
/// run.
async fn run_one(
    kind: DatabaseKind,
    scenario: Scenario,
    options: &Options,
    seed: u32,
    progress: &ProgressBar,
) -> Vec<Row> {
    progress.set_message(format!("{kind}: {scenario}, starting"));
    let disk = match scenario {
        Scenario::Disk => match SmallDisk::mount(disk::size(kind)) {
            Ok(disk) => Some(disk),
            Err(error) => return vec![left_out(kind, scenario, &error)],
        },
        _ => None,
    };
    let rows = match Environment::prepare(kind, scenario, options, seed, progress, disk).await {
        Ok(Some(environment)) => {
            let within = options.within(scenario);
            let rows = tokio::time::timeout(within, run_scenario(&Arc::new(environment), options)).await;
            rows.unwrap_or_else(|_elapsed| bail!("not within {within:?}"))
        }
        Ok(None) => {
            progress.println("no PostgreSQL binaries (initdb, pg_ctl, psql): its scenarios are left out");
            return Vec::new();
        }
        Err(error) => Err(error),
    };
    rows.unwrap_or_else(|error| {
        let check = Check::that("it came to its end", false, format!("{error:#}"));
        let what = "the scenario broke off".to_owned();
        vec![Row {
            database: kind,
            scenario,
            what,
            requests: None,
            figure: String::new(),
            checks: vec![check],
        }]
    })
}

/// A line that says why a scenario cannot be run here.
fn left_out(database: DatabaseKind, scenario: Scenario, why: &anyhow::Error) -> Row {
    let what = "left out: it mounts a small file system, as only root may do".to_owned();
    let figure = format!("{why:#}").replace('\n', " ").replace('|', " ");
    Row { database, scenario, what, requests: None, figure, checks: Vec::new() }
}

impl Options {
    /// Fails if a cluster is requested and cannot run here.
    fn check_citus(&self) -> anyhow::Result<()> {
        if self.database != On::Citus {
            return Ok(());
        }
        if let Some(scenario) = self.only.filter(|scenario| !scenario.is_for(DatabaseKind::Citus)) {
            bail!("the scenario {scenario} is not made for a cluster: crash, database and rolling are");
        }
        citus_programs().map(drop)
    }

    /// How long a scenario may take.
    const fn within(&self, scenario: Scenario) -> Duration {
        let more = match scenario {
            Scenario::Crash => KILLED_WITHIN.saturating_mul(self.kills),
            Scenario::Money => CHARGED_WITHIN.saturating_mul(self.charges),
            Scenario::Communications => SENT_WITHIN.saturating_mul(self.messages),
            _ => Duration::ZERO,
        };
        SCENARIO_WITHIN.saturating_add(more)
    }
}

async fn run_scenario(environment: &Shared, options: &Options) -> anyhow::Result<Vec<Row>> {
    match environment.scenario {
        Scenario::Crash => crash::run_scenario(environment, options.kills).await,
        Scenario::Database => database::run_scenario(environment).await,
        Scenario::Neighbours => neighbours::run_scenario(environment).await,
        Scenario::Rolling => rolling::run_scenario(environment).await,
        Scenario::Clients => clients::run_scenario(environment).await,
        Scenario::Disk => disk::run_scenario(environment).await,
        Scenario::Money => money::run_scenario(environment, options.charges).await,
        Scenario::Communications => communications::run_scenario(environment, options.messages).await,
    }
}
