//! Scenario `crash`: `kill -9` of the service at random moments, under load.

use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::environment::Shared;
use super::inspect::inspect;
use super::load::Load;
use super::options::Scenario;
use super::report::{Check, Row};
use crate::fixtures::service_process::free_address;

const CLIENTS: u64 = 8;
/// The service lives for a time between these two, in milliseconds.
const SHORTEST_LIFE: u64 = 20;
const LONGEST_LIFE: u64 = 1_500;
/// And at times for less than this, in its start.
const LONGEST_START: u64 = 60;

/// Plays it.
pub(super) async fn run_scenario(
    environment: &Shared,
    kills: u32,
    progress: &ProgressBar,
) -> anyhow::Result<Vec<Row>> {
    let mut generator = environment.generator(u64::MAX);
    let address = free_address()?;
    let mut service = environment.serve_at(address).await?;
    let load = Load::begin(environment, &[address], CLIENTS);
    let mut slowest = Duration::ZERO;
    for n in 1..=kills {
        progress.set_message(format!("{}: crash, kill -9 {n} of {kills}", environment.kind.name()));
        let life = SHORTEST_LIFE.saturating_add(generator.below(LONGEST_LIFE - SHORTEST_LIFE));
        tokio::time::sleep(Duration::from_millis(life)).await;
        service.kill()?;
        let killed = Instant::now();
        if generator.below(5) == 0 {
            // Once more before it is ready: what is dropped is killed.
            let life = Duration::from_millis(generator.below(LONGEST_START));
            let _started = tokio::time::timeout(life, environment.serve_at(address)).await;
        }
        service = environment.serve_at(address).await?;
        slowest = slowest.max(killed.elapsed());
    }
    tokio::time::sleep(environment.span).await;
    let counts = load.counts();
    let ledger = load.end().await;
    let killed = Row {
        database: environment.kind,
        scenario: Scenario::Crash,
        what: format!("kill -9, {kills} times"),
        requests: Some((counts.answered, counts.again())),
        figure: format!("ready again after {slowest:.0?} at the most"),
        checks: vec![Check::that(
            "every request was answered in the end",
            counts.given_up == 0,
            format!("{} were given up", counts.given_up),
        )],
    };
    progress.set_message(format!("{}: crash, looking at everything", environment.kind.name()));
    let row = inspect(environment, Scenario::Crash, &ledger, &service).await?;
    service.stop()?;
    Ok(vec![killed, row])
}
