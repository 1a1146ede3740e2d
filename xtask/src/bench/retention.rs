//! The removal of old rows: rows a second, duration of batches, and the effect on requests.
//!
//! The tables are filled with old rows while the service is stopped. When it starts it begins to remove them,
//! and does nothing else meanwhile but serve requests. The same requests are measured before the rows exist,
//! during the removal, and after it.

mod old_rows;
mod removals;

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use super::case::{Case, run_paced_load};
use super::environment::Environment;
use super::figure::{Figure, FloorRatio, Goal, Spread};
use super::process::mebibytes;
use super::requests;
use crate::fixtures::load::{LoadResult, median};
use crate::fixtures::service_process::Service;
use old_rows::OldRows;
use removals::Removal;

/// How many clients read, how many create, and the pause of each client between two requests.
const READERS: u32 = 4;
const CREATORS: u32 = 2;
const PAUSE: Duration = Duration::from_millis(4);
/// The goal: the highest ratio of the p99 during the removal to that without it.
const MAX_RATIO: f64 = 2.0;
/// The lowest number of rows removed in a second for which the measurement waits for all of them.
const SLOWEST: u64 = 500;

/// Measures the removal with the requested number of old rows.
pub(super) async fn measure(environment: &Environment) -> anyhow::Result<Vec<Figure>> {
    let cases = requests::cases(environment)?;
    let case = |name: &str| cases.iter().find(|case| case.name == name).cloned().context("no such case");
    let cases = [case(requests::READ)?, case(requests::CREATED)?];
    let (mut alone, mut beside) = (Windows::default(), Windows::default());
    let service = environment.serve().await?;
    environment.say("requests without old rows");
    for _ in environment.options.rounds() {
        alone.add(window(environment, &service, &cases).await?);
    }
    service.stop()?;

    let rows = OldRows::of(environment.options.old_rows);
    let begun = Instant::now();
    rows.fill(environment)?;
    environment.say(&format!("old rows written in {:.0?}; requests beside their removal", begun.elapsed()));
    let service = environment.serve().await?;
    let removals = wait_for_removal(environment, &service, &cases, &mut beside).await?;
    let memory = service.memory()?.1;
    ensure!(rows.are_gone(environment)?, "some old rows are left: {removals:?}");
    environment.say("requests when they are gone");
    for _ in environment.options.rounds() {
        alone.add(window(environment, &service, &cases).await?);
    }
    service.stop()?;

    let mut figures = vec![
        beside.figure(environment, &alone, 0, requests::READ),
        beside.figure(environment, &alone, 1, requests::CREATED),
    ];
    for removal in removals {
        figures.extend(removal.figures(environment, rows.factor(removal.kind)));
    }
    figures.push(mebibytes(environment, "memory at its highest, beside the removal", memory, None));
    Ok(figures)
}

/// Sends requests until the log says that all rows are removed, and returns the removals in the log.
async fn wait_for_removal(
    environment: &Environment,
    service: &Service,
    cases: &[Arc<Case>; 2],
    beside: &mut Windows,
) -> anyhow::Result<Vec<Removal>> {
    let begun = Instant::now();
    let within = Duration::from_secs(120 + u64::from(environment.options.old_rows) / SLOWEST);
    loop {
        let measured = window(environment, service, cases).await?;
        let removals = removals::logged(&environment.database.log())?;
        if removals.len() == removals::KINDS {
            return Ok(removals);
        }
        // A window in which the removal ended is not counted.
        beside.add(measured);
        ensure!(begun.elapsed() < within, "not removed within {within:?}: {removals:?}");
    }
}

/// Concurrent reads and creations, for the duration of one measurement.
async fn window(
    environment: &Environment,
    service: &Service,
    [read, create]: &[Arc<Case>; 2],
) -> anyhow::Result<[LoadResult; 2]> {
    let paced = (environment.options.span(), PAUSE);
    let (reads, creations) = tokio::join!(
        run_paced_load(service.address, READERS, paced, read),
        run_paced_load(service.address, CREATORS, paced, create)
    );
    Ok([reads?, creations?])
}

/// The results of the windows, for each case.
#[derive(Debug, Default)]
struct Windows(Vec<[LoadResult; 2]>);

impl Windows {
    fn add(&mut self, measured: [LoadResult; 2]) {
        self.0.push(measured);
    }

    fn percentiles(&self, case: usize, percent: usize) -> Vec<f64> {
        self.0.iter().filter_map(|window| window.get(case)).map(|load| load.percentile(percent)).collect()
    }

    /// The p99 during the removal, with the p99 without it as its floor.
    fn figure(&self, environment: &Environment, alone: &Self, case: usize, name: &str) -> Figure {
        let (beside, floor) = (self.percentiles(case, 99), alone.percentiles(case, 99));
        let value = Spread::of(beside).unwrap_or_default();
        let floor = Spread::of(floor).unwrap_or_default();
        let store = Some(FloorRatio { floor, ratio: Spread::quotient(value, floor) });
        let name = format!("p99 of {name} beside the removal; of that without it");
        Figure {
            connections: Some(READERS + CREATORS),
            store,
            latency: median(self.percentiles(case, 50)).zip(Some(value.median)),
            goal: Some(Goal::Times(MAX_RATIO)),
            ..Figure::plain(environment.database.kind, name, "ms", value)
        }
    }
}
