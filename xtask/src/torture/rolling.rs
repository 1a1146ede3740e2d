//! Two services on one PostgreSQL, one killed at a time, then one restarted at a time.
//!
//! Clients are what a load balancer is to those behind it: they keep connections to both, and go to the other one when nobody listens.
//! While one is restarted with SIGTERM no request may fail. These are no failures, since they are the balancer's or the client's own to
//! heal, and nobody behind them notices:
//!
//! - a connection that is refused: the process is not there, the other one is;
//! - a kept connection that is closed before a byte of the answer, under a request that HTTP allows to be sent again (RFC 9110,
//!   section 9.2.2, and RFC 9112, section 9.3.1): GET and PUT, and POST under an idempotency key.
//!
//! Failures are: any 5xx, an answer that breaks off, a new connection that is taken and closed without an answer, and a kept one that is
//! closed under a request that must not be sent again.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::ground::Shared;
use super::inspect::{inspect, nothing_failed};
use super::load::Load;
use super::report::{Check, Row};
use super::wanted::Play;
use crate::stand::service::{Service, free_address};

const CLIENTS: u64 = 10;
const PLAY: Play = Play::Rolling;
/// How often each of the two is killed, and restarted.
const TURNS: u32 = 6;

/// Plays it.
pub(super) async fn play(ground: &Shared, progress: &ProgressBar) -> anyhow::Result<Vec<Row>> {
    let addresses = [free_address()?, free_address()?];
    let [one, other] = addresses;
    let (mut first, mut second) = (ground.serve_at(one).await?, ground.serve_at(other).await?);
    let load = Load::begin(ground, &addresses, CLIENTS);
    let mut dice = ground.dice(u64::MAX);
    let mut pause = || Duration::from_millis(dice.below(800).saturating_add(200));
    tokio::time::sleep(pause()).await;

    let before = load.counts();
    for n in 1..=TURNS {
        progress.set_message(format!(
            "postgres: rolling, killing one of two, {n} of {TURNS}"
        ));
        first = killed(ground, first, one, pause()).await?;
        second = killed(ground, second, other, pause()).await?;
    }
    let counts = load.counts().since(&before);
    let mut rows = vec![Row {
        database: ground.kind,
        play: PLAY,
        what: format!(
            "one of two killed (kill -9), {} times",
            TURNS.saturating_mul(2)
        ),
        requests: Some((counts.answered, counts.again())),
        figure: format!(
            "{} answers broke off, {} cut off, {} x 5xx",
            counts.torn, counts.cut_off, counts.failed
        ),
        checks: vec![Check::that(
            "no request failed that a retry did not heal",
            counts.given_up == 0 && load.ledger.open().wrong.is_empty(),
            format!("{} were given up", counts.given_up),
        )],
    }];

    let (before, begun) = (load.counts(), Instant::now());
    let mut slowest = Duration::ZERO;
    for n in 1..=TURNS {
        progress.set_message(format!(
            "postgres: rolling, restarting one of two, {n} of {TURNS}"
        ));
        first = restarted(ground, first, one, pause(), &mut slowest).await?;
        second = restarted(ground, second, other, pause(), &mut slowest).await?;
    }
    let took = begun.elapsed();
    let counts = load.counts().since(&before);
    let failures = counts
        .failed
        .saturating_add(counts.torn)
        .saturating_add(counts.cut_off);
    rows.push(Row {
        database: ground.kind,
        play: PLAY,
        what: format!("one of two restarted (SIGTERM), {} times", TURNS.saturating_mul(2)),
        requests: Some((counts.answered, counts.again())),
        figure: format!(
            "{} refused, {} kept connections closed, stopped within {slowest:.1?}, {took:.0?} in all",
            counts.refused, counts.closed
        ),
        checks: vec![nothing_failed(&load.ledger, failures)],
    });
    let ledger = load.end().await;
    progress.set_message("postgres: rolling, looking at everything");
    rows.push(inspect(ground, PLAY, &ledger, &first).await?);
    first.stop()?;
    second.stop()?;
    Ok(rows)
}

async fn killed(
    ground: &Shared,
    service: Service,
    address: SocketAddr,
    pause: Duration,
) -> anyhow::Result<Service> {
    service.kill()?;
    tokio::time::sleep(pause / 2).await;
    let service = ground.serve_at(address).await?;
    tokio::time::sleep(pause).await;
    Ok(service)
}

async fn restarted(
    ground: &Shared,
    service: Service,
    address: SocketAddr,
    pause: Duration,
    slowest: &mut Duration,
) -> anyhow::Result<Service> {
    let begun = Instant::now();
    tokio::task::spawn_blocking(move || service.stop()).await??;
    *slowest = begun.elapsed().max(*slowest);
    tokio::time::sleep(pause / 2).await;
    let service = ground.serve_at(address).await?;
    tokio::time::sleep(pause).await;
    Ok(service)
}
