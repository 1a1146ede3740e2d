//! Service and floors in turns.

use std::sync::Arc;
use std::time::Duration;

use super::bare_http::Sample;
use super::case::{Case, run_load};
use super::environment::Environment;
use super::figure::{Figure, FloorRatio, Goal, Spread};
use super::floor::Script;
use crate::fixtures::client::Connection;
use crate::fixtures::load::{LoadResult, median};
use crate::fixtures::service_process::Service;

/// How long the service runs before anything is measured: connections are made, statements prepared, pages
/// read.
const WARM_UP: Duration = Duration::from_millis(700);

/// What the rounds measured.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    service: Vec<f64>,
    pub(super) store: Vec<f64>,
    http: Vec<f64>,
    p50: Vec<f64>,
    p99: Vec<f64>,
    cpu: Vec<f64>,
}

impl Rounds {
    /// Takes what the service did in one round.
    pub(super) fn add(&mut self, measured: &LoadResult) {
        self.service.push(measured.per_second());
        self.p50.push(measured.percentile(50));
        self.p99.push(measured.percentile(99));
    }

    pub(super) fn figure(self, environment: &Environment, name: &str, connections: u32) -> Figure {
        let value = Spread::of(self.service.clone()).unwrap_or_default();
        Figure {
            connections: Some(connections),
            store: FloorRatio::of(&self.service, &self.store),
            http: FloorRatio::of(&self.service, &self.http),
            latency: median(self.p50).zip(median(self.p99)),
            cpu: median(self.cpu),
            ..Figure::plain(environment.database.kind, name, "/s", value)
        }
    }
}

/// Measures a case in turns with its floors.
pub(super) async fn in_turns(
    environment: &Environment,
    service: &Service,
    case: &Arc<Case>,
    connections: u32,
) -> anyhow::Result<Figure> {
    let span = environment.options.span();
    let mut connection = Connection::open(service.address).await?;
    case.exchange(&mut connection).await?;
    let (head, body) = connection.last()?;
    let script = Script { answer_bytes: body.len(), ..case.script };
    environment.bare.answer_with(Sample::received(case.status, &head, body));
    run_load(service.address, connections, WARM_UP, case).await?;
    let mut rounds = Rounds::default();
    for round in environment.options.rounds() {
        environment.say(&format!("{}, {connections} connections, round {round}", case.name));
        // Each goes first in turn: the later ones find what the first has left in caches and logs.
        for turn in 0..3_u32 {
            match turn.wrapping_add(round) % 3 {
                1 => {
                    let before = service.cpu_seconds()?;
                    let measured = run_load(service.address, connections, span, case).await?;
                    let used = service.cpu_seconds()? - before;
                    rounds.cpu.push(used * 1_000_000.0 / measured.count().max(1.0));
                    rounds.add(&measured);
                }
                2 => rounds.store.push(script.run(environment, connections)?),
                _ => {
                    let answers = run_load(environment.bare.address, connections, span, case).await?;
                    rounds.http.push(answers.per_second());
                }
            }
        }
    }
    let goal = case.goal.filter(|_| connections == 8).map(Goal::Ratio);
    Ok(Figure { goal, ..rounds.figure(environment, &case.name, connections) })
}
