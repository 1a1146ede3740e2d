//! Scenario `clients`: hostile clients beside correct ones, whose latency may at most double.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context;

use super::environment::{Environment, Shared};
use super::hostile_clients::{HostileClients, Kind, StatusCounts};
use super::inspect::inspect;
use super::load::Load;
use super::report::{Check, Row};
use super::response_log::ResponseLog;
use crate::fixtures::client::{Connection, get};
use crate::fixtures::load::{median, repeat};
use crate::fixtures::service_process::free_address;

const CLIENTS: u64 = 4;
/// How often calm and faulty phases alternate, so that other work of the machine affects both.
const ROUNDS: u32 = 5;
const MAX_RATIO: f64 = 2.0;
/// How often a ratio above the limit is measured: other load of the machine is temporary, the effect of these
/// clients is not.
const TRIES: u32 = 3;
/// The correct clients that are measured, and the pause of each between two requests.
const OTHERS: usize = 6;
const PAUSE: Duration = Duration::from_millis(3);

pub(super) async fn run_scenario(environment: &Shared) -> anyhow::Result<Vec<Row>> {
    let address = free_address()?;
    let service = environment.serve_at(address).await?;
    let load = Load::begin(environment, &[address], CLIENTS);
    tokio::time::sleep(environment.span).await;
    let response_log = load.end().await;
    let request = request(environment, &response_log)?;
    let span = (environment.span / 4).max(Duration::from_secs(1));
    let others = Others { environment, address, request, span };
    let mut rows = Vec::new();
    for kind in Kind::ALL {
        environment.say(kind.name());
        rows.push(others.beside(kind).await?);
    }
    rows.push(inspect(environment, &response_log, &service).await?);
    service.stop()?;
    Ok(rows)
}

/// The request of the correct clients: reading an existing invoice.
fn request(environment: &Environment, response_log: &ResponseLog) -> anyhow::Result<Vec<u8>> {
    let responses = response_log.lock();
    let (id, created) = responses.invoices.iter().next().context("no invoice was raised")?;
    let account = environment.accounts.iter().find(|account| account.id.uuid() == created.account);
    let account = account.context("no such account")?;
    Ok(get(&format!("/invoices/{id}"), &account.key))
}

/// Clients that send correct requests while others misbehave.
struct Others<'a> {
    environment: &'a Environment,
    address: SocketAddr,
    request: Vec<u8>,
    span: Duration,
}

impl Others<'_> {
    /// The clients' p99 alone and beside one kind of hostile clients, in turns.
    async fn beside(&self, kind: Kind) -> anyhow::Result<Row> {
        let status_counts = StatusCounts::default();
        let (mut calm, mut harm, mut ratio, mut tries) = (0.0, 0.0, f64::INFINITY, 0);
        while tries < TRIES && ratio > MAX_RATIO {
            tries += 1;
            let (alone, beside) = self.alternate(kind, &status_counts).await?;
            if beside / alone.max(0.001) < ratio {
                (calm, harm, ratio) = (alone, beside, beside / alone.max(0.001));
            }
        }
        let seen = status_counts.seen();
        let failed = seen.iter().any(|(status, _)| *status >= 500);
        let taken = seen.iter().any(|(status, _)| (200..300).contains(status));
        let figure =
            format!("others' p99 {calm:.1} ms, beside them {harm:.1} ms ({ratio:.1} x), try {tries}");
        let checks = vec![
            Check::that(
                "other clients' p99 is within twice its value",
                ratio <= MAX_RATIO,
                format!("{calm:.2} ms became {harm:.2} ms, {ratio:.2} times"),
            ),
            Check::that(
                "they are refused, never served and never answered 5xx",
                !failed && !taken,
                format!("answers by status (599: not let in): {seen:?}"),
            ),
        ];
        Ok(self.environment.row(kind.name(), None, figure, checks))
    }

    /// The median p99 alone and beside one kind of hostile clients, over alternating rounds.
    async fn alternate(&self, kind: Kind, status_counts: &StatusCounts) -> anyhow::Result<(f64, f64)> {
        let account = self.environment.accounts.last().context("no account")?;
        let (mut calm, mut harm) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            calm.push(self.p99().await?);
            let clients = HostileClients::start(kind, self.address, &account.key, status_counts).await?;
            harm.push(self.p99().await?);
            clients.stop().await;
        }
        Ok((median(calm).unwrap_or_default(), median(harm).unwrap_or_default()))
    }

    /// The p99 of the requests, in milliseconds.
    async fn p99(&self) -> anyhow::Result<f64> {
        let mut clients = Vec::new();
        for _ in 0..OTHERS {
            clients.push((Connection::open(self.address).await?, self.request.clone()));
        }
        let result = repeat(clients, self.span, PAUSE, |(mut connection, request)| async move {
            connection.expect(&request, 200).await.context("of a correct client")?;
            Ok((connection, request))
        });
        Ok(result.await?.percentile(99))
    }
}
