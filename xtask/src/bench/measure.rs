//! Service and floors in turns.

use std::sync::Arc;
use std::time::Duration;

use indicatif::ProgressBar;

use super::bare_http::Sample;
use super::case::Case;
use super::environment::Environment;
use super::figure::{Figure, FloorRatio, Spread};
use super::load::{LoadResult, run_load};
use super::options::Options;
use crate::fixtures::client::Connection;
use crate::fixtures::service_process::Service;

/// How long everybody runs before anything is measured: connections are made, statements prepared, pages
/// read.
const WARM_UP: Duration = Duration::from_millis(700);

/// What the rounds measured.
#[derive(Debug, Default)]
struct Rounds {
    service: Vec<f64>,
    store: Vec<f64>,
    http: Vec<f64>,
    p50: Vec<f64>,
    p99: Vec<f64>,
    cpu: Vec<f64>,
}

/// Measures a case in turns with its floors.
pub(super) async fn in_turns(
    environment: &Environment,
    service: &Service,
    case: &Arc<Case>,
    connections: u32,
    options: &Options,
    progress: &ProgressBar,
) -> anyhow::Result<Figure> {
    let sample = sample(service, case).await?;
    let script = super::floor::Script { answer_bytes: sample.body.len(), ..case.script };
    environment.bare.answer_with(sample);
    run_load(service.address, connections, WARM_UP, case).await?;
    let mut rounds = Rounds::default();
    for round in 0..options.rounds.max(1) {
        progress.set_message(format!(
            "{}: {}, {connections} connections, round {}",
            environment.kind.name(),
            case.name,
            round.saturating_add(1)
        ));
        // Each goes first in turn: whoever comes later finds what the one before has left in caches and logs.
        for turn in 0..3_u32 {
            match turn.wrapping_add(round) % 3 {
                0 => rounds.press_service(service, case, connections, options.span()).await?,
                1 => rounds.store.push(script.run(environment, connections, options.span()).await?),
                _ => {
                    let answers = run_load(environment.bare.address, connections, options.span(), case);
                    rounds.http.push(answers.await?.per_second());
                }
            }
        }
    }
    let goal = case.goal.filter(|(count, _)| *count == connections);
    Ok(Figure {
        database: environment.kind,
        name: case.name.clone(),
        connections: Some(connections),
        unit: "/s",
        value: Spread::of(rounds.service.clone()).unwrap_or_default(),
        store: FloorRatio::of(&rounds.service, &rounds.store),
        http: FloorRatio::of(&rounds.service, &rounds.http),
        latency: median(rounds.p50).zip(median(rounds.p99)),
        cpu: median(rounds.cpu),
        goal: goal.map(|(_, goal)| goal),
    })
}

impl Rounds {
    async fn press_service(
        &mut self,
        service: &Service,
        case: &Arc<Case>,
        connections: u32,
        span: Duration,
    ) -> anyhow::Result<()> {
        let before = service.cpu_seconds()?;
        let pressed: LoadResult = run_load(service.address, connections, span, case).await?;
        let used = service.cpu_seconds()? - before;
        self.service.push(pressed.per_second());
        self.p50.push(pressed.percentile(50));
        self.p99.push(pressed.percentile(99));
        self.cpu.push(used * 1_000_000.0 / pressed.count().max(1.0));
        Ok(())
    }
}

/// What the service answers to such a request.
async fn sample(service: &Service, case: &Case) -> anyhow::Result<Sample> {
    let mut connection = Connection::open(service.address).await?;
    let mut request = Vec::new();
    case.write_next(&mut request);
    connection.exchange(&request).await?;
    let (head, body) = connection.last()?;
    let sample = Sample::received(&head, body)?;
    if sample.status != case.expected {
        anyhow::bail!("{}: {head}{}", case.name, String::from_utf8_lossy(&sample.body));
    }
    Ok(sample)
}

pub(super) fn median(values: Vec<f64>) -> Option<f64> {
    Spread::of(values).map(|spread| spread.median)
}
