//! Scenario `money`: invoices are paid online through a gateway that repeats, reorders, delays, loses and
//! falsifies events, while the service is killed and the same invoices are cancelled, amended and paid by
//! hand.
//!
//! The gateway is the stand-in for Stripe from the adapter's tests. It runs in this process, so that its
//! charges survive the service; afterwards every charge is compared with the service's records. Failed tasks
//! are retried after waits of up to hours: for the last part the service is started with a clock that is
//! ahead.

mod account;
mod event_sender;
mod gateway;
mod payers;
mod verdict;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;

use super::environment::Shared;
use super::inspect::none_left;
use super::leading_clock::LeadingClock;
use super::report::{Check, Row};
use super::response_log::{Counts, ResponseLog};
use crate::fixtures::service_process::{Service, free_address};
use account::PaidAccount;
use event_sender::EventSender;
use gateway::{AHEAD, Gateway};
use payers::Payer;

const PAYERS: u64 = 8;
/// The shortest and the longest time for which the service runs, in milliseconds.
const SHORTEST_RUN: u64 = 200;
const LONGEST_RUN: u64 = 8_000;
/// Each third run is so long that a form that a kill interrupted gets its response: the service waits 16 s
/// for the result of a form that was sent before.
const LONG_RUN: Duration = Duration::from_secs(20);
/// The time limit of the last part: a constant, and an addition for each charge.
const SETTLED_WITHIN: Duration = Duration::from_secs(120);
const CHARGE_SETTLED_WITHIN: Duration = Duration::from_millis(40);
const DELIVERED_WITHIN: Duration = Duration::from_secs(120);

/// What happened while charges were made.
struct Disturbed {
    kills: u32,
    slowest: Duration,
    response_log: Arc<ResponseLog>,
    event_sender: EventSender,
}

pub(super) async fn run_scenario(environment: &Shared, charges: u32) -> anyhow::Result<Vec<Row>> {
    let address = free_address()?;
    let clock = LeadingClock::new(&environment.database.folder.path().join("now"));
    let gateway = Arc::new(Gateway::start(&clock, environment.generator(u64::MAX - 1)).await);
    let paid = Arc::new(PaidAccount::connect(environment, &gateway, address).await?);
    let disturbed = disturb(environment, &gateway, &paid, charges).await?;
    let counts = disturbed.response_log.lock().counts;
    let row = disturbed_row(environment, &gateway, &disturbed, &counts);

    environment.say("settling what is left");
    let listed = verdict::listed_until(environment)?;
    clock.go_ahead(AHEAD)?;
    let ticking = tokio::spawn(clock.clone().tick());
    let service = environment.database.serve(paid.command_at(environment, &clock.file), address).await?;
    let within = SETTLED_WITHIN.saturating_add(CHARGE_SETTLED_WITHIN.saturating_mul(charges));
    let settled = verdict::wait_for_settlement(environment, &gateway, &listed, within).await?;
    let left = "webhook_deliveries WHERE state = 'pending'";
    let waiting = none_left(environment, left, DELIVERED_WITHIN).await?;
    let mut last = verdict::inspect(environment, &gateway, &paid, &disturbed.response_log, &service).await?;
    last.figure = format!("{}; settled within {settled:.0?}, {waiting} events still due", last.figure);
    service.stop()?;
    ticking.abort();
    Ok(vec![row, last])
}

/// Lets invoices be paid with faults, until the requested number of charges was made.
async fn disturb(
    environment: &Shared,
    gateway: &Arc<Gateway>,
    paid: &Arc<PaidAccount>,
    charges: u32,
) -> anyhow::Result<Disturbed> {
    let response_log = Arc::new(ResponseLog::default());
    let (stop, stopped) = watch::channel(false);
    gateway.misbehave(true);
    let mut service = serve(environment, paid).await?;
    let event_sender = EventSender::new(gateway, paid, &response_log, environment.generator(u64::MAX - 2));
    let sending = tokio::spawn(event_sender.clone().run(stopped.clone()));
    let acting = tokio::spawn(gateway.clone().run(stopped.clone()));
    let toggling =
        tokio::spawn(account::toggle_unapplied_setting(environment.clone(), paid.clone(), stopped.clone()));
    let targets: Arc<[SocketAddr]> = [paid.address].into();
    let mut payers = JoinSet::new();
    for n in 0..PAYERS {
        payers.spawn(Payer::new(environment, gateway, paid, &response_log, &targets, n).pay_until(charges));
    }
    let generator = environment.generator(u64::MAX);
    let (mut kills, mut slowest) = (0, Duration::ZERO);
    while !payers.is_empty() {
        let (done, of) = (gateway.charged(), charges);
        environment.say(&format!("{done} of {of} charges, killed {kills} times"));
        let run = Duration::from_millis(SHORTEST_RUN + generator.below(LONGEST_RUN - SHORTEST_RUN));
        let run = if kills % 3 == 2 { LONG_RUN } else { run };
        if all_joined(&mut payers, run, &response_log).await {
            break;
        }
        service.kill()?;
        kills += 1;
        service = serve(environment, paid).await?;
        slowest = slowest.max(service.took);
    }
    // The gateway's own actions continue for a while, with their events.
    stop.send_replace(true);
    toggling.await?;
    acting.await?;
    sending.await?;
    gateway.misbehave(false);
    service.stop()?;
    Ok(Disturbed { kills, slowest, response_log, event_sender })
}

async fn serve(environment: &Shared, paid: &PaidAccount) -> anyhow::Result<Service> {
    environment.database.serve(paid.command(environment), paid.address).await
}

/// Whether all payers ended within the time.
async fn all_joined(payers: &mut JoinSet<()>, within: Duration, response_log: &ResponseLog) -> bool {
    let joined = tokio::time::timeout(within, async {
        while let Some(ended) = payers.join_next().await {
            if let Err(panicked) = ended {
                response_log.lock().wrong.push(format!("a payer broke off: {panicked}"));
            }
        }
    });
    joined.await.is_ok()
}

fn disturbed_row(environment: &Shared, gateway: &Gateway, of: &Disturbed, counts: &Counts) -> Row {
    let events = of.event_sender.counts();
    let given_up = format!("{} were given up", counts.given_up);
    let checks = vec![
        Check::that("every request was answered in the end", counts.given_up == 0, given_up),
        Check::new("every request was one that Stripe takes", gateway.calls(), gateway.faults()),
        Check::new(
            "an event is taken once it is signed, and else refused",
            events.sent,
            events.wrong.clone(),
        ),
    ];
    let figure = format!(
        "{} charges, {} calls of the gateway of which {} failed or lost their answer; {} events sent, {} lost, \
         {} of them repeated, {} false, {} forged; ready again after {:.0?} at the most",
        gateway.charged(),
        gateway.calls(),
        gateway.injected_faults(),
        events.sent,
        events.lost,
        events.repeated,
        events.falsified,
        events.forged,
        of.slowest,
    );
    let what = format!("paid online, kill -9 {} times", of.kills);
    environment.row(what, Some(counts), figure, checks)
}
