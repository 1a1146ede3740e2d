//! Scenario `communications`: for weeks of the service's clock reminders fall due and replies come in, while
//! the service is killed, the mail server and Twilio sometimes fail, and owners record payments, cancel,
//! pause, resolve and switch off.
//!
//! The clock is a file. It runs at normal speed, and is moved ahead by hours only while no service runs, so
//! that no attempt outlives its lease. A journal written by database triggers records the changes committed
//! before a reminder began (`journal.rs`).

mod accounts;
mod customers;
mod journal;
mod mail_server;
mod outside;
mod replay;
mod staff;
mod verdict;

use std::sync::Arc;
use std::time::{Duration, Instant};

use kernel::{Clock as _, TimeZone};
use time::macros::time;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::environment::Shared;
use super::inspect::none_left;
use super::leading_clock::LeadingClock;
use super::report::{Check, Row};
use super::response_log::ResponseLog;
use super::stored_records::count;
use crate::fixtures::database::DatabaseKind;
use crate::fixtures::service_process::{Service, free_address};
use crate::fixtures::twilio::{self, InjectedFault};
use crate::seed::random::SeededGenerator;
use accounts::Accounts;
use customers::{Customer, CustomerMessages};
use mail_server::MailServer;
use staff::Staff;

const CUSTOMERS: u64 = 4;
const STAFF: u64 = 2;
/// The shortest and the longest time for which a service runs, in milliseconds, in addition to the duration
/// of its start.
const SHORTEST_RUN: u64 = 200;
const LONGEST_RUN: u64 = 3_500;
/// The highest number of runs of the service, since reminders end when nothing is due any more.
const MAX_RUNS: u32 = 150;
/// How many of a hundred mails are refused or get no reply, and in one of how many runs.
const TROUBLED: u64 = 60;
const TROUBLED_RUN: u64 = 3;
/// The number of rounds after the last run, and the hours of each, in which everything that failed is tried
/// again.
const ROUNDS: u32 = 8;
const ROUND: time::Duration = time::Duration::hours(5);
const SETTLED_WITHIN: Duration = Duration::from_secs(20);

/// The reminders whose sending began.
const BEGUN: &str = "(SELECT DISTINCT subject FROM torture_journal WHERE what = 'begins') AS begun";

/// What happened while reminders were sent.
struct Disturbed {
    kills: Vec<Instant>,
    runs: u32,
    slowest: Duration,
    response_log: Arc<ResponseLog>,
}

pub(super) async fn run_scenario(environment: &Shared, messages: u32) -> anyhow::Result<Vec<Row>> {
    let services = if environment.database.kind == DatabaseKind::Postgres { 2 } else { 1 };
    let addresses = (0..services).map(|_| free_address()).collect::<anyhow::Result<Vec<_>>>()?;
    let clock = LeadingClock::new(&environment.database.folder.path().join("now"));
    clock.go_ahead(time::Duration::ZERO)?;
    let ticking = tokio::spawn(clock.clone().tick());
    let mail = Arc::new(MailServer::start(&clock, environment.generator(u64::MAX - 1)).await?);
    let texts = Arc::new(twilio::StandIn::start().await);
    journal::begin(&environment.database)?;
    let mut accounts = Accounts::open(environment, addresses, &clock, &mail, &texts).await?;
    let running = serve(environment, &accounts).await?;
    accounts.set_up(environment, clock.now()).await?;
    kill(running, &mut Vec::new())?;
    let (accounts, customer_messages) = (Arc::new(accounts), CustomerMessages::new(mail, texts));

    let from = clock.now();
    let mut disturbed = disturb(environment, &accounts, &customer_messages, &clock, messages).await?;
    let days = (clock.now() - from).whole_days();
    let row = disturbed_row(environment, &customer_messages, &disturbed, days);
    settle(environment, &accounts, &clock, &mut disturbed.kills).await?;
    let last = verdict::inspect(
        environment, &accounts, &customer_messages, &clock, &disturbed.response_log, &disturbed.kills,
    )?;
    ticking.abort();
    Ok(vec![row, last])
}

async fn serve(environment: &Shared, accounts: &Accounts) -> anyhow::Result<Vec<Service>> {
    let mut running = Vec::new();
    for address in &accounts.addresses {
        running.push(environment.database.serve(accounts.command(environment), *address).await?);
    }
    Ok(running)
}

fn kill(running: Vec<Service>, kills: &mut Vec<Instant>) -> anyhow::Result<()> {
    for service in running {
        service.kill()?;
        kills.push(Instant::now());
    }
    Ok(())
}

/// Lets days pass with faults, until the requested number of reminders has begun to be sent.
async fn disturb(
    environment: &Shared,
    accounts: &Arc<Accounts>,
    customer_messages: &CustomerMessages,
    clock: &LeadingClock,
    messages: u32,
) -> anyhow::Result<Disturbed> {
    let response_log = Arc::new(ResponseLog::default());
    let (stop, stopped) = watch::channel(false);
    let mut people = JoinSet::new();
    for n in 0..CUSTOMERS {
        people.spawn(
            Customer::new(environment, accounts, customer_messages, clock, &response_log, n)
                .write(stopped.clone()),
        );
    }
    for n in 0..STAFF {
        people.spawn(Staff::new(environment, accounts, clock, &response_log, n).work(stopped.clone()));
    }
    let generator = environment.generator(u64::MAX);
    let (mut kills, mut runs, mut slowest) = (Vec::new(), 0, Duration::ZERO);
    let most = usize::try_from(messages)?;
    while runs < MAX_RUNS {
        let begun = count(&environment.database, BEGUN)?;
        if begun >= most {
            break;
        }
        runs += 1;
        environment.say(&format!(
            "{}, {begun} of {most} reminders, killed {} times",
            clock.now(),
            kills.len()
        ));
        misbehave(customer_messages, &generator);
        let mut running = serve(environment, accounts).await?;
        let started_within = running.iter().map(|service| service.took).max().unwrap_or_default();
        slowest = slowest.max(started_within);
        // If there are two services, the other one continues alone for a while.
        while !running.is_empty() {
            let run = SHORTEST_RUN + generator.below(LONGEST_RUN - SHORTEST_RUN);
            // On a machine on which the start is slow, all other work is slow too.
            tokio::time::sleep(Duration::from_millis(run).saturating_add(started_within)).await;
            let place = usize::try_from(generator.below(u64::try_from(running.len())?))?;
            kill(vec![running.swap_remove(place)], &mut kills)?;
        }
        clock.jump(until_next_life(&generator, &accounts.zones, clock)).await;
    }
    // Requests that customers and staff have begun get their responses.
    customer_messages.mail.misbehave(0);
    let running = serve(environment, accounts).await?;
    stop.send_replace(true);
    while let Some(ended) = people.join_next().await {
        if let Err(panicked) = ended {
            response_log.lock().wrong.push(format!("somebody broke off: {panicked}"));
        }
    }
    kill(running, &mut kills)?;
    Ok(Disturbed { kills, runs, slowest, response_log })
}

/// How the mail server and Twilio behave in the next run.
fn misbehave(customer_messages: &CustomerMessages, generator: &SeededGenerator) {
    let is_troubled = generator.below(TROUBLED_RUN) == 0;
    customer_messages.mail.misbehave(if is_troubled { TROUBLED } else { 0 });
    match generator.below(4) {
        0 => customer_messages.texts.next(InjectedFault::LoseResponse),
        1 => customer_messages.texts.next(InjectedFault::Respond(503, twilio::error(503, 20503, "down"))),
        _ => {}
    }
}

/// How far the clock is moved: mostly to just before nine in the morning in an account's time zone, when
/// steps fall due, otherwise by some hours.
fn until_next_life(
    generator: &SeededGenerator,
    zones: &[(uuid::Uuid, TimeZone)],
    clock: &LeadingClock,
) -> time::Duration {
    let hours = i64::try_from(generator.below(10)).unwrap_or_default();
    let (now, zone) = (clock.now(), generator.pick(zones).map(|(_, zone)| zone));
    match zone.filter(|_| generator.below(3) != 0) {
        Some(zone) => {
            let local = zone.local(now);
            let until = time!(8:59:59) - local.time();
            if until.is_positive() { until } else { until + time::Duration::DAY }
        }
        None => time::Duration::hours(1 + hours),
    }
}

/// Lets the service retry everything that failed or was cut off, until nothing waits.
async fn settle(
    environment: &Shared,
    accounts: &Accounts,
    clock: &LeadingClock,
    kills: &mut Vec<Instant>,
) -> anyhow::Result<()> {
    environment.say("settling what is left");
    for _ in 0..ROUNDS {
        clock.jump(ROUND).await;
        let running = serve(environment, accounts).await?;
        let jobs = none_left(environment, "jobs WHERE state = 'waiting'", SETTLED_WITHIN).await?;
        let waiting = "inbound_messages WHERE state = 'stored'";
        let stored = none_left(environment, waiting, SETTLED_WITHIN).await?;
        for service in running {
            service.stop()?;
        }
        kills.push(Instant::now());
        if jobs + stored == 0 {
            break;
        }
    }
    Ok(())
}

fn disturbed_row(
    environment: &Shared,
    customer_messages: &CustomerMessages,
    of: &Disturbed,
    days: i64,
) -> Row {
    let counts = of.response_log.lock().counts;
    let given_up = format!("{} were given up", counts.given_up);
    let check = Check::that("every request was answered in the end", counts.given_up == 0, given_up);
    let figure = format!(
        "{days} days in {} runs; {} mails and {} text messages taken; {} mails refused or met by silence, {} \
         calls of Twilio; ready again after {:.0?} at the most",
        of.runs,
        customer_messages.mail.taken().len(),
        customer_messages.texts.taken().len(),
        customer_messages.mail.injected_faults(),
        customer_messages.texts.calls(),
        of.slowest,
    );
    let what = format!("reminders and answers, kill -9 {} times", of.kills.len());
    environment.row(what, Some(&counts), figure, vec![check])
}
