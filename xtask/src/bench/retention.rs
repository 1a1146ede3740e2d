//! How old rows are removed: how many a second, in batches of what length, and what that does to requests.
//!
//! The tables are filled with old rows while the service is stopped. It begins to remove them when it starts,
//! and does nothing else than requests meanwhile. The same requests are measured before there were any, while
//! they are removed, and when they are gone.

mod old_rows;
mod removals;

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use super::case::Case;
use super::environment::Environment;
use super::figure::{Figure, FloorRatio, Goal, Spread};
use super::process::mebibytes;
use super::requests;
use crate::fixtures::client::Connection;
use crate::fixtures::load::{LoadResult, median, repeat};
use crate::fixtures::service_process::Service;
use old_rows::OldRows;
use removals::Removal;

/// How many clients read, how many create, and the pause of each between two requests.
const READERS: u32 = 4;
const CREATORS: u32 = 2;
const PAUSE: Duration = Duration::from_millis(4);
/// How many times longer the p99 may be.
const MOST: f64 = 2.0;
/// Rows that are removed in a second at the least, for there to be a point in waiting for them all.
const SLOWEST: u64 = 500;

/// Measures it with the number of old rows that was asked for.
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

/// Sends requests for as long as the log does not say that all is removed, and returns what it says.
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
        // A window in which the removal ended is neither.
        beside.add(measured);
        ensure!(begun.elapsed() < within, "not removed within {within:?}: {removals:?}");
    }
}

/// Reads and creations at once, for as long as one measurement takes.
async fn window(
    environment: &Environment,
    service: &Service,
    [read, create]: &[Arc<Case>; 2],
) -> anyhow::Result<[LoadResult; 2]> {
    let press = async |case: &Arc<Case>, count: u32| {
        let mut clients = Vec::new();
        for _ in 0..count {
            clients.push((Connection::open(service.address).await?, case.clone()));
        }
        repeat(clients, environment.options.span(), PAUSE, |(mut connection, case)| async move {
            case.exchange(&mut connection).await?;
            Ok((connection, case))
        })
        .await
    };
    let (reads, creations) = tokio::join!(press(read, READERS), press(create, CREATORS));
    Ok([reads?, creations?])
}

/// What the windows measured of each case.
#[derive(Debug, Default)]
struct Windows(Vec<[LoadResult; 2]>);

impl Windows {
    fn add(&mut self, measured: [LoadResult; 2]) {
        self.0.push(measured);
    }

    fn percentiles(&self, case: usize, percent: usize) -> Vec<f64> {
        self.0.iter().filter_map(|window| window.get(case)).map(|load| load.percentile(percent)).collect()
    }

    /// The p99 beside the removal, with that without it as its floor.
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
            goal: Some(Goal::Times(MOST)),
            ..Figure::plain(environment.database.kind, name, "ms", value)
        }
    }
}
