//! Scenario `clients`: hostile clients beside correct ones, whose latency may at most double.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context;
use indicatif::ProgressBar;

use super::bystanders::{median, p99};
use super::environment::Shared;
use super::hostile_clients::{HostileClients, Kind};
use super::inspect::inspect;
use super::load::Load;
use super::options::Scenario;
use super::report::{Check, Row};
use super::status_counts::StatusCounts;
use crate::fixtures::request::get;
use crate::fixtures::service_process::free_address;

const CLIENTS: u64 = 4;
const PLAY: Scenario = Scenario::Clients;
/// Calm and harm take turns so often: what else the machine does falls on both.
const ROUNDS: u32 = 5;
const MOST: f64 = 2.0;
/// What is not within it is measured again: what others do to the machine comes and goes, what these do to
/// the service stays.
const TRIES: u32 = 3;

/// Others' p99 in milliseconds.
#[derive(Debug, Clone, Copy, Default)]
struct Waits {
    calm: f64,
    harm: f64,
}

impl Waits {
    fn ratio(self) -> f64 {
        self.harm / self.calm.max(0.001)
    }
}

/// Plays it.
pub(super) async fn run_scenario(environment: &Shared, progress: &ProgressBar) -> anyhow::Result<Vec<Row>> {
    let address = free_address()?;
    let service = environment.serve_at(address).await?;
    let load = Load::begin(environment, &[address], CLIENTS);
    tokio::time::sleep(environment.span).await;
    let ledger = load.end().await;
    let request = request(environment, &ledger)?;
    let span = (environment.span / 4).max(Duration::from_secs(1));
    let mut rows = Vec::new();
    for kind in Kind::ALL {
        let what = kind.name();
        progress.set_message(format!("{}: clients, {what}", environment.kind.name()));
        rows.push(beside(environment, kind, address, &request, span).await?);
    }
    progress.set_message(format!("{}: clients, looking at everything", environment.kind.name()));
    rows.push(inspect(environment, PLAY, &ledger, &service).await?);
    service.stop()?;
    Ok(rows)
}

/// What the others ask for: an invoice that is there.
fn request(environment: &Shared, ledger: &super::ledger::Ledger) -> anyhow::Result<Vec<u8>> {
    let responses = ledger.open();
    let (id, sale) = responses.invoices.iter().next().context("no invoice was raised")?;
    let account = environment.accounts.iter().find(|account| account.id.uuid() == sale.account);
    let account = account.context("no such account")?;
    Ok(get(&format!("/invoices/{id}"), &account.key))
}

/// Others' p99 in calm and beside one kind, in turns.
async fn beside(
    environment: &Shared,
    kind: Kind,
    address: SocketAddr,
    request: &[u8],
    span: Duration,
) -> anyhow::Result<Row> {
    let answered = StatusCounts::default();
    let (mut least, mut tries) = (Waits::default(), 0_u32);
    while tries < TRIES && (tries == 0 || least.ratio() > MOST) {
        tries = tries.saturating_add(1);
        let waits = waits(environment, kind, address, request, span, &answered).await?;
        if tries == 1 || waits.ratio() < least.ratio() {
            least = waits;
        }
    }
    let (calm, harm, ratio) = (least.calm, least.harm, least.ratio());
    let seen = answered.seen();
    let failed = seen.iter().any(|(status, _)| *status >= 500);
    let taken = seen.iter().any(|(status, _)| (200..300).contains(status));
    Ok(Row {
        database: environment.kind,
        scenario: PLAY,
        what: kind.name().to_owned(),
        requests: None,
        figure: format!("others' p99 {calm:.1} ms, beside them {harm:.1} ms ({ratio:.1} x), try {tries}"),
        checks: vec![
            Check::that(
                "other clients' p99 is within twice its value",
                ratio <= MOST,
                format!("{calm:.2} ms became {harm:.2} ms, {ratio:.2} times"),
            ),
            Check::that(
                "they are refused, never served and never answered 5xx",
                !failed && !taken,
                format!("answers by status (599: not let in): {seen:?}"),
            ),
        ],
    })
}

/// The middle of what several rounds measured, in which calm and harm take turns.
async fn waits(
    environment: &Shared,
    kind: Kind,
    address: SocketAddr,
    request: &[u8],
    span: Duration,
    answered: &StatusCounts,
) -> anyhow::Result<Waits> {
    let account = environment.accounts.last().context("no account")?;
    let (mut calm, mut harm) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        calm.push(p99(address, request, span).await?);
        let crowd = HostileClients::gather(kind, address, &account.key, answered).await?;
        harm.push(p99(address, request, span).await?);
        crowd.leave().await;
    }
    Ok(Waits { calm: median(calm), harm: median(harm) })
}
