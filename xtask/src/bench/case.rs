//! A kind of request, measured in turns with its floors.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Context;

use super::bare_http::Sample;
use super::environment::Environment;
use super::figure::{Figure, FloorRatio, Goal, Spread};
use super::floor;
use super::script::Script;
use super::tenants::{Tenant, turn};
use crate::fixtures::client::Connection;
use crate::fixtures::load::{LoadResult, median, repeat};
use crate::fixtures::service_process::Service;

/// Builds a request of an account, with a number that no other request of the case has.
type Write = dyn Fn(&Tenant, u64) -> Vec<u8> + Send + Sync;

/// A kind of request that is measured.
pub(super) struct Case {
    pub(super) name: String,
    /// The expected status of the response.
    pub(super) status: u16,
    /// The database's statements for such a request.
    pub(super) script: Script,
    /// The lowest allowed ratio to the database's floor, with eight connections.
    pub(super) goal: Option<f64>,
    /// Whether the floors wait until the service has processed what it was sent.
    floors_when_idle: bool,
    /// The accounts, which take turns.
    tenants: Vec<Tenant>,
    write: Box<Write>,
    written: AtomicU64,
}

impl Case {
    pub(super) fn new(
        name: impl Into<String>,
        status: u16,
        script: Script,
        goal: Option<f64>,
        tenants: &[Tenant],
        write: impl Fn(&Tenant, u64) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        let (tenants, write) = (tenants.to_vec(), Box::new(write));
        Self {
            name: name.into(),
            status,
            script,
            goal,
            floors_when_idle: false,
            tenants,
            write,
            written: AtomicU64::new(0),
        }
    }

    /// For requests that leave work behind: the floors are measured when the service has done it.
    pub(super) fn with_floors_when_idle(self) -> Self {
        Self { floors_when_idle: true, ..self }
    }

    /// Sends a new request, and fails if the response has another status.
    pub(super) async fn exchange(&self, connection: &mut Connection) -> anyhow::Result<()> {
        let n = self.written.fetch_add(1, Ordering::Relaxed);
        let request = (self.write)(turn(&self.tenants, n)?, n);
        connection.expect(&request, self.status).await.with_context(|| self.name.clone())
    }
}

/// Sends the requests of a case to an address.
pub(super) async fn run_load(
    address: SocketAddr,
    connections: u32,
    span: Duration,
    case: &Arc<Case>,
) -> anyhow::Result<LoadResult> {
    run_paced_load(address, connections, (span, Duration::ZERO), case).await
}

/// Sends the requests of a case to an address, with a pause after each, like callers that have other work.
pub(super) async fn run_paced_load(
    address: SocketAddr,
    connections: u32,
    (span, pause): (Duration, Duration),
    case: &Arc<Case>,
) -> anyhow::Result<LoadResult> {
    let mut clients = Vec::new();
    for _ in 0..connections {
        clients.push((Connection::open(address).await?, case.clone()));
    }
    repeat(clients, span, pause, |(mut connection, case)| async move {
        case.exchange(&mut connection).await?;
        Ok((connection, case))
    })
    .await
}

/// How long the service runs before anything is measured: connections are made, statements prepared, pages
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

impl Rounds {
    /// Adds the service's result of one round.
    fn add(&mut self, measured: &LoadResult) {
        self.service.push(measured.per_second());
        self.p50.push(measured.percentile(50));
        self.p99.push(measured.percentile(99));
    }

    fn figure(self, environment: &Environment, name: &str, connections: u32) -> Figure {
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

/// Measures a use case, which all clients call at once, in turns with the database's statements for it.
pub(super) async fn use_case_in_turns<C, F>(
    environment: &Environment,
    name: &str,
    script: Script,
    clients: Vec<C>,
    call: impl Fn(C) -> F + Clone + Send + 'static,
) -> anyhow::Result<Figure>
where
    C: Clone + Send + 'static,
    F: Future<Output = anyhow::Result<C>> + Send,
{
    let (options, connections) = (&environment.options, u32::try_from(clients.len())?);
    let mut rounds = Rounds::default();
    for round in options.rounds() {
        environment.say(&format!("{name}, {connections} at once, round {round}"));
        for turn in 0..2_u32 {
            if turn.wrapping_add(round) % 2 == 0 {
                rounds.store.push(floor::run(&script, environment, connections)?);
            } else {
                let called = repeat(clients.clone(), options.span(), Duration::ZERO, call.clone());
                rounds.add(&called.await?);
            }
        }
    }
    Ok(rounds.figure(environment, name, connections))
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
    environment.bare.respond_with(Sample::received(case.status, &head, body));
    run_load(service.address, connections, WARM_UP, case).await?;
    if case.floors_when_idle {
        service.wait_until_idle().await?;
    }
    let mut rounds = Rounds::default();
    for round in environment.options.rounds() {
        environment.say(&format!("{}, {connections} connections, round {round}", case.name));
        // Each is first in turn, because the first one leaves caches and logs to the later ones.
        for turn in 0..3_u32 {
            match turn.wrapping_add(round) % 3 {
                1 => {
                    let before = service.cpu_seconds()?;
                    let measured = run_load(service.address, connections, span, case).await?;
                    let used = service.cpu_seconds()? - before;
                    rounds.cpu.push(used * 1_000_000.0 / measured.count().max(1.0));
                    rounds.add(&measured);
                    if case.floors_when_idle {
                        service.wait_until_idle().await?;
                    }
                }
                2 => rounds.store.push(floor::run(&script, environment, connections)?),
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

/// The ratio of the rates of two kinds of requests, measured in turns with eight connections. The machine and
/// the database change from one case to the next, so figures of cases that were measured one after the other
/// cannot be divided.
///
/// `clear` removes what the requests left to be done, before the next ones.
pub(super) async fn quotient_in_turns(
    environment: &Environment,
    service: &Service,
    (one, other): (&Arc<Case>, &Arc<Case>),
    clear: impl Fn() -> anyhow::Result<()>,
) -> anyhow::Result<Spread> {
    let (mut dividends, mut divisors) = (Vec::new(), Vec::new());
    for round in environment.options.rounds() {
        environment.say(&format!("{} and {} in turns, round {round}", one.name, other.name));
        for turn in 0..2_u32 {
            let is_one = turn.wrapping_add(round) % 2 == 0;
            let (case, rates) = if is_one { (one, &mut dividends) } else { (other, &mut divisors) };
            rates.push(run_load(service.address, 8, environment.options.span(), case).await?.per_second());
            clear()?;
        }
    }
    Spread::of_ratios(&dividends, &divisors).context("no rounds")
}
