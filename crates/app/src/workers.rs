//! What runs beside the requests: clean-up at every interval.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::MissedTickBehavior;

use crate::metrics::Figures;
use crate::wiring::House;

/// How long answers are kept: the contract says at least 24 hours.
const ANSWERS_ARE_KEPT: time::Duration = time::Duration::hours(25);

/// How many rows one statement of the clean-up takes, so that none holds up the requests.
const BATCH: u32 = 1_000;

/// Runs until `stop` says so. A failure is logged and tried again at the next interval.
pub async fn run(house: House, figures: Figures, interval: Duration, mut stop: watch::Receiver<bool>) {
    let mut ticks = tokio::time::interval(interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = stop.wait_for(|stopped| *stopped) => return,
            _ = ticks.tick() => {}
        }
        figures.upkeep();
        match forget_old_answers(&house, &stop).await {
            Ok(0) => {}
            Ok(forgotten) => tracing::info!(forgotten, "forgot answers kept for idempotency keys"),
            Err(error) => tracing::warn!(%error, "could not forget old answers; trying again at the next interval"),
        }
    }
}

async fn forget_old_answers(house: &House, stop: &watch::Receiver<bool>) -> Result<u64, kernel::StoreError> {
    let before = house.clock.now() - ANSWERS_ARE_KEPT;
    let mut forgotten = 0_u64;
    while !*stop.borrow() {
        let batch = house.store.answers.forget_before(before, BATCH).await?;
        forgotten = forgotten.saturating_add(batch);
        if batch < u64::from(BATCH) {
            break;
        }
    }
    Ok(forgotten)
}
