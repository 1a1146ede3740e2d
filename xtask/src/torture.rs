//! `cargo xtask torture`: fault injection under load.
//!
//! Each scenario starts what it needs on loopback, puts load on the service with clients that record every
//! response, injects a fault repeatedly, and at the end compares the recorded responses with the database,
//! the API and what receivers of webhooks got. Random choices come from a seed that is printed; the same seed
//! gives the same choices.

mod api_listing;
mod bystanders;
mod caller;
mod client_actions;
mod client_reads;
mod clients;
mod crash;
mod database;
mod database_reader;
mod database_totals;
mod environment;
mod expectations;
mod hostile_clients;
mod idempotent_replays;
mod inspect;
mod ledger;
mod load;
mod money;
mod neighbours;
mod operator_actions;
mod options;
mod outage;
mod receiver;
mod report;
mod rolling;
mod smtp;
mod status_counts;
mod stored_records;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use indicatif::ProgressBar;
use kernel::{SecureRandom as _, SystemRandom};

pub(crate) use options::Options;

use crate::fixtures::build;
use crate::fixtures::database_kind::Kind;
use crate::fixtures::progress::progress;
use environment::Environment;
use options::Scenario;
use report::{Check, Row};

/// Longer than any scenario takes when all is well, and how much more for each kill.
const PLAYED_WITHIN: Duration = Duration::from_secs(400);
const KILLED_WITHIN: Duration = Duration::from_secs(4);

/// Plays and prints, from an optimised build. The status says whether everything held.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<ExitCode> {
    if cfg!(debug_assertions) && !options.debug_build {
        return build::rerun_optimised(root);
    }
    let mut holds = false;
    app::block_on(async {
        holds = play_all(options).await?;
        Ok(())
    })?;
    Ok(if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn play_all(options: &Options) -> anyhow::Result<bool> {
    let seed = match options.seed {
        Some(seed) => seed,
        None => drawn()?,
    };
    let progress = progress()?;
    progress.println(format!("seed {seed}"));
    let mut rows = Vec::new();
    for (kind, scenario) in options.scenarios() {
        rows.extend(one(kind, scenario, options, seed, &progress).await);
    }
    progress.finish_and_clear();
    let text = if options.json { report::json(&rows, seed)? } else { report::text(&rows, seed) };
    app::output::Output { json: false }.line(&text)?;
    Ok(report::all_holds(&rows))
}

fn drawn() -> anyhow::Result<u32> {
    let mut bytes = [0; 4];
    let drawn = SystemRandom::default().fill(&mut bytes);
    drawn.map_err(|_none| anyhow::anyhow!("the system gives no random: use --seed"))?;
    Ok(u32::from_le_bytes(bytes))
}

/// One scenario; that it came to no end is told as something that does not hold, so that the others are
/// played all the same.
async fn one(
    kind: Kind,
    scenario: Scenario,
    options: &Options,
    seed: u32,
    progress: &ProgressBar,
) -> Vec<Row> {
    progress.set_message(format!("{}: {}, starting", kind.name(), scenario.name()));
    let rows = match Environment::prepare(kind, scenario, options, seed).await {
        Ok(Some(environment)) => {
            let environment = Arc::new(environment);
            let played = on(&environment, scenario, options, progress);
            let within = PLAYED_WITHIN.saturating_add(KILLED_WITHIN.saturating_mul(options.kills));
            let played = tokio::time::timeout(within, played).await;
            played.unwrap_or_else(|_elapsed| bail!("not within {within:?}"))
        }
        Ok(None) => {
            progress.println("no PostgreSQL binaries (initdb, pg_ctl, psql): its scenarios are left out");
            return Vec::new();
        }
        Err(error) => Err(error),
    };
    rows.unwrap_or_else(|error| {
        vec![Row {
            database: kind,
            scenario,
            what: "the scenario broke off".to_owned(),
            requests: None,
            figure: String::new(),
            checks: vec![Check::that("it came to its end", false, format!("{error:#}"))],
        }]
    })
}

async fn on(
    environment: &environment::Shared,
    scenario: Scenario,
    options: &Options,
    progress: &ProgressBar,
) -> anyhow::Result<Vec<Row>> {
    match scenario {
        Scenario::Crash => crash::run_scenario(environment, options.kills, progress).await,
        Scenario::Database => database::run_scenario(environment, progress).await,
        Scenario::Neighbours => neighbours::run_scenario(environment, progress).await,
        Scenario::Rolling => rolling::run_scenario(environment, progress).await,
        Scenario::Clients => clients::run_scenario(environment, progress).await,
    }
}
