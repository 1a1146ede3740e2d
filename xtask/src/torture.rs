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
mod options;
mod outage;
mod receiver;
mod report;
mod response;
mod response_log;
mod rolling;
mod stored_records;
mod workers;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::bail;
use clap::ValueEnum as _;
use indicatif::ProgressBar;
use kernel::{SecureRandom as _, SystemRandom};

use crate::fixtures::build;
use crate::fixtures::database::DatabaseKind;
use crate::fixtures::small_disk::SmallDisk;
use crate::fixtures::terminal::progress;
use environment::{Environment, Shared};
pub(crate) use options::Options;
use options::Scenario;
use report::{Check, Row};

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
