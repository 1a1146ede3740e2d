//! Two services on one PostgreSQL, one killed at a time, then one restarted at a time.
//!
//! Clients are what a load balancer is to those behind it: they keep connections to both, send each request
//! to any of the two, and to the other one when nobody listens. While one is restarted with SIGTERM no
//! request may fail. These are no failures, since they are the balancer's or the client's own to heal, and
//! nobody behind them notices:
//!
//! - a connection that is refused: the process is not there, the other one is;
//! - a kept connection that is closed before a byte of the answer, under a request that HTTP allows to be
//!   sent again (RFC 9110, section 9.2.2, and RFC 9112, section 9.3.1): GET and PUT, and POST under an
//!   idempotency key.
//!
//! Failures are: any 5xx, an answer that breaks off, a new connection that is taken and closed without an
//! answer, and a kept one that is closed under a request that must not be sent again.

use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::environment::Shared;
use super::inspect::{inspect, nothing_failed};
use super::ledger::Counts;
use super::load::Load;
use super::options::Scenario;
use super::report::{Check, Row};
use crate::fixtures::service_process::{Service, free_address};
use crate::seed::random::SeededGenerator;

const CLIENTS: u64 = 10;
const PLAY: Scenario = Scenario::Rolling;
/// How often each of the two is killed, and restarted.
const TURNS: u32 = 6;

/// Plays it.
pub(super) async fn run_scenario(environment: &Shared, progress: &ProgressBar) -> anyhow::Result<Vec<Row>> {
    let addresses = [free_address()?, free_address()?];
    let [one, other] = addresses;
    let mut pair = Pair {
        environment,
        progress,
        load: Load::begin(environment, &addresses, CLIENTS),
        generator: environment.generator(u64::MAX),
        first: environment.serve_at(one).await?,
        second: environment.serve_at(other).await?,
    };
    tokio::time::sleep(pair.pause()).await;
    let mut rows = Vec::new();
    let (pair, row) = pair.kill_in_turns().await?;
    rows.push(row);
    let (pair, row) = pair.restart_in_turns().await?;
    rows.push(row);
    let ledger = pair.load.end().await;
    progress.set_message("postgres: rolling, looking at everything");
    rows.push(inspect(environment, PLAY, &ledger, &pair.first).await?);
    pair.first.stop()?;
    pair.second.stop()?;
    Ok(rows)
}

/// The two, and who asks them.
struct Pair<'a> {
    environment: &'a Shared,
    progress: &'a ProgressBar,
    load: Load,
    generator: SeededGenerator,
    first: Service,
    second: Service,
}

impl Pair<'_> {
    fn pause(&mut self) -> Duration {
        Duration::from_millis(self.generator.below(800).saturating_add(200))
    }

    fn say(&self, what: &str, n: u32) {
        let said = format!("postgres: rolling, {what} one of two, {n} of {TURNS}");
        self.progress.set_message(said);
    }

    fn row(&self, what: &str, counts: &Counts, figure: String, check: Check) -> Row {
        Row {
            database: self.environment.kind,
            scenario: PLAY,
            what: format!("one of two {what}, {} times", TURNS.saturating_mul(2)),
            requests: Some((counts.answered, counts.again())),
            figure,
            checks: vec![check],
        }
    }

    async fn kill_in_turns(mut self) -> anyhow::Result<(Self, Row)> {
        let before = self.load.counts();
        for n in 1..=TURNS {
            self.say("killing", n);
            let pause = self.pause();
            self.first = killed(self.environment, self.first, pause).await?;
            let pause = self.pause();
            self.second = killed(self.environment, self.second, pause).await?;
        }
        let counts = self.load.counts().since(&before);
        let figure = format!(
            "{} answers broke off, {} were cut off, {} x 5xx",
            counts.torn, counts.cut_off, counts.failed
        );
        let healed = counts.given_up == 0 && self.load.ledger.open().wrong.is_empty();
        let otherwise = format!("{} were given up", counts.given_up);
        let check = Check::that("no request failed that a retry did not heal", healed, otherwise);
        let row = self.row("killed (kill -9)", &counts, figure, check);
        Ok((self, row))
    }

    async fn restart_in_turns(mut self) -> anyhow::Result<(Self, Row)> {
        let before = self.load.counts();
        let mut slowest = Duration::ZERO;
        for n in 1..=TURNS {
            self.say("restarting", n);
            let pause = self.pause();
            self.first = restarted(self.environment, self.first, pause, &mut slowest).await?;
            let pause = self.pause();
            self.second = restarted(self.environment, self.second, pause, &mut slowest).await?;
        }
        let counts = self.load.counts().since(&before);
        let figure = format!(
            "{} refused, {} kept connections closed, stopped within {slowest:.1?}",
            counts.refused, counts.closed
        );
        let failures = counts.failed.saturating_add(counts.torn).saturating_add(counts.cut_off);
        let check = nothing_failed(&self.load.ledger, failures);
        let row = self.row("restarted (SIGTERM)", &counts, figure, check);
        Ok((self, row))
    }
}

async fn killed(environment: &Shared, service: Service, pause: Duration) -> anyhow::Result<Service> {
    let address = service.address;
    service.kill()?;
    tokio::time::sleep(pause / 2).await;
    let service = environment.serve_at(address).await?;
    tokio::time::sleep(pause).await;
    Ok(service)
}

async fn restarted(
    environment: &Shared,
    service: Service,
    pause: Duration,
    slowest: &mut Duration,
) -> anyhow::Result<Service> {
    let (address, begun) = (service.address, Instant::now());
    tokio::task::spawn_blocking(move || service.stop()).await??;
    *slowest = begun.elapsed().max(*slowest);
    tokio::time::sleep(pause / 2).await;
    let service = environment.serve_at(address).await?;
    tokio::time::sleep(pause).await;
    Ok(service)
}
