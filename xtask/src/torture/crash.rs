//! Scenario `crash`: `kill -9` of the service at random moments, under load.

use std::time::{Duration, Instant};

use super::environment::Shared;
use super::inspect::inspect;
use super::load::Load;
use super::report::{Check, Row};
use crate::fixtures::service_process::free_address;

const CLIENTS: u64 = 8;
/// The shortest and the longest time for which the service runs, in milliseconds.
const SHORTEST_RUN: u64 = 20;
const LONGEST_RUN: u64 = 1_500;
/// At times the service is killed during its start, after less than this time.
const MAX_START: u64 = 60;

pub(super) async fn run_scenario(environment: &Shared, kills: u32) -> anyhow::Result<Vec<Row>> {
    let generator = environment.generator(u64::MAX);
    let address = free_address()?;
    let mut service = environment.serve_at(address).await?;
    let load = Load::begin(environment, &[address], CLIENTS);
    let mut slowest = Duration::ZERO;
    for n in 1..=kills {
        environment.say(&format!("kill -9 {n} of {kills}"));
        let run = SHORTEST_RUN + generator.below(LONGEST_RUN - SHORTEST_RUN);
        tokio::time::sleep(Duration::from_millis(run)).await;
        service.kill()?;
        let killed = Instant::now();
        if generator.below(5) == 0 {
            // Kills another process before it is ready, by dropping it.
            let run = Duration::from_millis(generator.below(MAX_START));
            let _started = tokio::time::timeout(run, environment.serve_at(address)).await;
        }
        service = environment.serve_at(address).await?;
        slowest = slowest.max(killed.elapsed());
    }
    tokio::time::sleep(environment.span).await;
    let counts = load.counts();
    let response_log = load.end().await;
    let given_up = format!("{} were given up", counts.given_up);
    let check = Check::that("every request was answered in the end", counts.given_up == 0, given_up);
    let figure = format!("ready again after {slowest:.0?} at the most");
    let killed = environment.row(format!("kill -9, {kills} times"), Some(&counts), figure, vec![check]);
    let row = inspect(environment, &response_log, &service).await?;
    service.stop()?;
    Ok(vec![killed, row])
}
