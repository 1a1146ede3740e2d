//! Two services on one PostgreSQL, one killed at a time, then one restarted at a time.
//!
//! Clients act like a load balancer: they keep connections to both services, send each request to a random
//! one, and to the other one if the first does not listen. While one is restarted with SIGTERM no request may
//! fail. The following do not count as failures, since the balancer or the client repeats the request, and
//! users do not notice:
//!
//! - a refused connection: this process is not running, the other one is;
//! - a kept connection that is closed before the first byte of the response, if HTTP allows repeating the
//!   request (RFC 9110, section 9.2.2, and RFC 9112, section 9.3.1): GET and PUT, and POST under an
//!   idempotency key.
//!
//! Failures are: any 5xx, a response that breaks off, a new connection that is accepted and closed without a
//! response, and a kept connection that is closed during a request that must not be repeated.

use std::time::{Duration, Instant};

use anyhow::Context;

use super::environment::Shared;
use super::inspect::{inspect, nothing_failed};
use super::load::Load;
use super::report::{Check, Row};
use crate::fixtures::service_process::{Service, free_address};
use crate::seed::random::SeededGenerator;

const CLIENTS: u64 = 10;
/// How often each of the two is killed, and restarted.
const TURNS: u32 = 6;

pub(super) async fn run_scenario(environment: &Shared) -> anyhow::Result<Vec<Row>> {
    let (one, other) = (free_address()?, free_address()?);
    let load = Load::begin(environment, &[one, other], CLIENTS);
    let generator = environment.generator(u64::MAX);
    let mut services = vec![environment.serve_at(one).await?, environment.serve_at(other).await?];
    tokio::time::sleep(pause(&generator)).await;

    let before = load.counts();
    in_turns(environment, &mut services, &generator, "killing", Service::kill).await?;
    let counts = load.counts().since(&before);
    let (broken_off, cut_off, failed) = (counts.broken_off, counts.cut_off, counts.failed);
    let figure = format!("{broken_off} answers broke off, {cut_off} were cut off, {failed} x 5xx");
    let healed = counts.given_up == 0 && load.response_log.lock().wrong.is_empty();
    let given_up = format!("{} were given up", counts.given_up);
    let check = Check::that("no request failed that a retry did not heal", healed, given_up);
    let times = TURNS * 2;
    let what = format!("one of two killed (kill -9), {times} times");
    let killed = environment.row(what, Some(&counts), figure, vec![check]);

    let before = load.counts();
    let slowest = in_turns(environment, &mut services, &generator, "restarting", Service::stop).await?;
    let counts = load.counts().since(&before);
    let (refused, closed) = (counts.refused, counts.closed);
    let figure = format!("{refused} refused, {closed} kept connections closed, stopped within {slowest:.1?}");
    let check = nothing_failed(&load.response_log, counts.failed + counts.broken_off + counts.cut_off);
    let what = format!("one of two restarted (SIGTERM), {times} times");
    let restarted = environment.row(what, Some(&counts), figure, vec![check]);

    let response_log = load.end().await;
    let service = services.first().context("there are two")?;
    let row = inspect(environment, &response_log, service).await?;
    services.into_iter().try_for_each(Service::stop)?;
    Ok(vec![killed, restarted, row])
}

fn pause(generator: &SeededGenerator) -> Duration {
    Duration::from_millis(generator.below(800) + 200)
}

/// Ends and starts one service after the other, and returns the longest time that ending one took.
async fn in_turns(
    environment: &Shared,
    services: &mut Vec<Service>,
    generator: &SeededGenerator,
    what: &str,
    end: fn(Service) -> anyhow::Result<()>,
) -> anyhow::Result<Duration> {
    let mut slowest = Duration::ZERO;
    for n in 0..TURNS * 2 {
        environment.say(&format!("{what} one of two, {} of {TURNS}", n / 2 + 1));
        let pause = pause(generator);
        let service = services.remove(0);
        let (address, begun) = (service.address, Instant::now());
        tokio::task::spawn_blocking(move || end(service)).await??;
        slowest = begun.elapsed().max(slowest);
        tokio::time::sleep(pause / 2).await;
        services.push(environment.serve_at(address).await?);
        tokio::time::sleep(pause).await;
    }
    Ok(slowest)
}
