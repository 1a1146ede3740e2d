//! What runs beside the requests: clean-up and the calendar at every interval, mail and the ledger as soon as there is something.
//!
//! A failure is logged and tried again at the next look. Several processes may do all of this on one database at once.

use std::sync::Arc;
use std::time::Duration;

use invoices::{Bookkeeper, DueDates};
use kernel::SealingKeys;
use mail::{Outcome, Postman};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use crate::metrics::Figures;
use crate::settings::Settings;
use crate::wiring::House;

/// How long answers are kept: the contract says at least 24 hours.
const ANSWERS_ARE_KEPT: time::Duration = time::Duration::hours(25);

/// How many rows one statement of the clean-up takes, so that none holds up the requests.
const BATCH: u32 = 1_000;

/// How often mail and the ledger's tasks are looked for.
const LOOK: Duration = Duration::from_secs(1);

/// Says when to stop.
type Stop = watch::Receiver<bool>;

/// Starts every worker; each ends when `stop` says so, after what it has in hand.
///
/// # Errors
/// One line that names the setting that cannot be used.
pub fn start(
    house: &House,
    settings: &Settings,
    keys: Arc<SealingKeys>,
    figures: Figures,
    stop: &Stop,
) -> anyhow::Result<JoinSet<()>> {
    let mut workers = JoinSet::new();
    let interval = settings.worker_interval;
    workers.spawn(clean_up(house.clone(), figures, interval, stop.clone()));
    workers.spawn(move_with_the_calendar(
        house.due_dates(),
        interval,
        stop.clone(),
    ));
    workers.spawn(deliver_mail(house.postman(settings, keys)?, stop.clone()));
    if let Some(bookkeeper) = house.bookkeeper(settings)? {
        workers.spawn(keep_the_ledger(bookkeeper, stop.clone()));
    }
    Ok(workers)
}

/// Ticks at every interval until it is time to stop.
struct Ticks {
    interval: tokio::time::Interval,
    stop: Stop,
}

impl Ticks {
    fn every(interval: Duration, stop: Stop) -> Self {
        let mut interval = tokio::time::interval(interval);
        interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { interval, stop }
    }

    /// `false` when it is time to stop.
    async fn next(&mut self) -> bool {
        tokio::select! {
            _ = self.stop.wait_for(|stopped| *stopped) => false,
            _ = self.interval.tick() => true,
        }
    }

    fn is_time_to_stop(&self) -> bool {
        *self.stop.borrow()
    }
}

async fn clean_up(house: House, figures: Figures, interval: Duration, stop: Stop) {
    let mut ticks = Ticks::every(interval, stop);
    while ticks.next().await {
        figures.upkeep();
        match forget_old_answers(&house, &ticks).await {
            Ok(0) => {}
            Ok(forgotten) => tracing::info!(forgotten, "forgot answers kept for idempotency keys"),
            Err(error) => tracing::warn!(%error, "could not forget old answers"),
        }
    }
}

async fn forget_old_answers(house: &House, ticks: &Ticks) -> Result<u64, kernel::StoreError> {
    let before = house.clock.now() - ANSWERS_ARE_KEPT;
    let mut forgotten = 0_u64;
    while !ticks.is_time_to_stop() {
        let batch = house.store.answers.forget_before(before, BATCH).await?;
        forgotten = forgotten.saturating_add(batch);
        if batch < u64::from(BATCH) {
            break;
        }
    }
    Ok(forgotten)
}

async fn move_with_the_calendar(due_dates: DueDates, interval: Duration, stop: Stop) {
    let mut ticks = Ticks::every(interval, stop);
    while ticks.next().await {
        match due_dates.fall_due().await {
            Ok(0) => {}
            Ok(moved) => tracing::info!(moved, "moved invoices with the calendar"),
            Err(error) => tracing::warn!(%error, "could not move invoices with the calendar"),
        }
    }
}

async fn deliver_mail(postman: Postman, stop: Stop) {
    let mut ticks = Ticks::every(LOOK, stop);
    while ticks.next().await {
        loop {
            let round = match postman.deliver_due().await {
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

async fn keep_the_ledger(bookkeeper: Bookkeeper, stop: Stop) {
    let mut ticks = Ticks::every(LOOK, stop);
    while ticks.next().await {
        loop {
            let round = match bookkeeper.work_off().await {
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
