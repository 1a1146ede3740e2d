//! What runs beside the requests: clean-up and the calendar at every interval, webhooks, mail and the ledger as soon as there is something.
//!
//! A failure is logged and tried again at the next look. Several processes may do all of this on one database at once.

mod logos;
mod ticks;
mod webhooks;

use std::sync::Arc;
use std::time::Duration;

use invoices::{DueDates, LedgerWorker};
use kernel::SealingKeys;
use mail::{MailWorker, Outcome};
use tokio::task::JoinSet;

pub use self::ticks::{Stop, Ticks};
use crate::metrics::{Figures, queues};
use crate::settings::Settings;
use crate::wiring::Dependencies;

/// How long answers are kept: the contract says at least 24 hours.
const ANSWERS_ARE_KEPT: time::Duration = time::Duration::hours(25);

/// How many rows one statement of the clean-up takes, so that none holds up the requests.
const BATCH: u32 = 1_000;

/// How often mail and the ledger's tasks are looked for.
const LOOK: Duration = Duration::from_secs(1);

/// How often somebody looks how the queues stand.
const WATCH: Duration = Duration::from_secs(5);

/// Starts every worker; each ends when `stop` says so, after what it has in hand.
///
/// # Errors
/// One line that names the setting that cannot be used.
pub fn start(
    deps: &Dependencies,
    settings: &Settings,
    keys: Arc<SealingKeys>,
    figures: Figures,
    stop: &Stop,
) -> anyhow::Result<JoinSet<()>> {
    let mut workers = JoinSet::new();
    let interval = settings.worker_interval;
    workers.spawn(clean_up(deps.clone(), figures, interval, stop.clone()));
    workers.spawn(move_with_the_calendar(
        deps.due_dates(),
        interval,
        stop.clone(),
    ));
    let worker = deps.worker(settings, keys.clone())?;
    workers.spawn(webhooks::deliver(worker.clone(), stop.clone()));
    workers.spawn(webhooks::tidy_up(worker, interval, stop.clone()));
    workers.spawn(logos::remove(deps.logo_cleanup(), interval, stop.clone()));
    workers.spawn(deliver_mail(
        deps.mail_worker(settings, keys)?,
        stop.clone(),
    ));
    if let Some(ledger_worker) = deps.ledger_worker(settings)? {
        workers.spawn(keep_the_ledger(ledger_worker, stop.clone()));
    }
    let watch = Ticks::every(WATCH, "queue-watch", &deps.clock, stop.clone());
    workers.spawn(queues::watch(
        deps.store.queues.clone(),
        deps.clock.clone(),
        watch,
    ));
    Ok(workers)
}

async fn clean_up(deps: Dependencies, figures: Figures, interval: Duration, stop: Stop) {
    let mut ticks = Ticks::every(interval, "clean-up", &deps.clock, stop);
    while ticks.next().await {
        figures.upkeep();
        let forgotten = forget_old_answers(&deps, &ticks).await;
        ticks.ended(forgotten.is_ok());
        match forgotten {
            Ok(0) => {}
            Ok(forgotten) => tracing::info!(forgotten, "forgot answers kept for idempotency keys"),
            Err(error) => tracing::warn!(%error, "could not forget old answers"),
        }
    }
}

async fn forget_old_answers(deps: &Dependencies, ticks: &Ticks) -> Result<u64, kernel::StoreError> {
    let before = deps.clock.now() - ANSWERS_ARE_KEPT;
    let mut forgotten = 0_u64;
    while !ticks.is_time_to_stop() {
        let batch = deps.store.answers.forget_before(before, BATCH).await?;
        forgotten = forgotten.saturating_add(batch);
        if batch < u64::from(BATCH) {
            break;
        }
    }
    Ok(forgotten)
}

async fn move_with_the_calendar(due_dates: DueDates, interval: Duration, stop: Stop) {
    let mut ticks = Ticks::every(interval, "calendar", &due_dates.clock, stop);
    while ticks.next().await {
        let moved = due_dates.apply_dates().await;
        ticks.ended(moved.is_ok());
        match moved {
            Ok(0) => {}
            Ok(moved) => tracing::info!(moved, "moved invoices with the calendar"),
            Err(error) => tracing::warn!(%error, "could not move invoices with the calendar"),
        }
    }
}

async fn deliver_mail(mail_worker: MailWorker, stop: Stop) {
    let mut ticks = Ticks::every(LOOK, "mail", &mail_worker.clock, stop);
    while ticks.next().await {
        loop {
            let round = mail_worker.deliver_due().await;
            ticks.ended(round.is_ok());
            let round = match round {
                Ok(round) => round,
                Err(error) => {
                    tracing::warn!(%error, "could not look for mail");
                    break;
                }
            };
            for attempted in &round.attempts {
                let (mail, attempt) = (attempted.lease.id, attempted.lease.attempt);
                match &attempted.outcome {
                    Some(Outcome::Done { .. }) => tracing::info!(%mail, attempt, "mail sent"),
                    Some(Outcome::Retry { reason, .. }) => {
                        tracing::warn!(%mail, attempt, reason, "mail not sent yet")
                    }
                    Some(Outcome::GivenUp { reason, .. }) => {
                        tracing::error!(%mail, attempt, reason, "mail given up")
                    }
                    None => {}
                }
                if let Err(error) = &attempted.recorded {
                    tracing::error!(%mail, %error, "could not record what came of a mail; it may be sent again");
                }
            }
            if !round.more || ticks.is_time_to_stop() {
                break;
            }
        }
    }
}

async fn keep_the_ledger(ledger_worker: LedgerWorker, stop: Stop) {
    let mut ticks = Ticks::every(LOOK, "ledger", &ledger_worker.clock, stop);
    while ticks.next().await {
        loop {
            let round = ledger_worker.work_off().await;
            ticks.ended(round.is_ok());
            let round = match round {
                Ok(round) => round,
                Err(error) => {
                    tracing::warn!(%error, "could not look for the ledger's tasks");
                    break;
                }
            };
            for attempted in &round.attempts {
                tracing::info!(task = %attempted.lease.id, attempt = attempted.lease.attempt, outcome = ?attempted.outcome, "ledger");
            }
            if !round.more || ticks.is_time_to_stop() {
                break;
            }
        }
    }
}
