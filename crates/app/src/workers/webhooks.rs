//! Webhooks: delivered as they come, finished and forgotten at every interval.

use std::time::Duration;

use courier_tokio::DeliveryWorker;
use kernel::StoreError;

use super::{BATCH, Stop, Ticks};

/// How long deliveries are kept with their attempts after they have ended (contract, "Limits").
const LOGS_ARE_KEPT: time::Duration = time::Duration::days(30);

/// Delivers until it is time to stop.
pub(super) async fn deliver(worker: DeliveryWorker, mut stop: Stop) {
    let stopped = async move {
        // When nobody is left to say so, it is time to stop, too.
        let _ = stop.wait_for(|stopped| *stopped).await;
    };
    worker.run(stopped).await;
}

/// Finishes what no courier finishes, and forgets what is old.
pub(super) async fn tidy_up(worker: DeliveryWorker, interval: Duration, stop: Stop) {
    let mut ticks = Ticks::every(interval, "webhook-log", &worker.means.clock, stop);
    while ticks.next().await {
        let now = worker.means.clock.now();
        let attempts = worker.means.schedule.most_attempts();
        let queue = worker.queue.clone();
        let swept = in_batches(&ticks, || queue.sweep(now, attempts, BATCH)).await;
        let pruned = in_batches(&ticks, || queue.prune(now - LOGS_ARE_KEPT, BATCH)).await;
        ticks.ended(swept.is_ok() && pruned.is_ok());
        tell(swept, "finished webhook deliveries that were left over");
        tell(
            pruned,
            "forgot webhook deliveries and events of more than 30 days ago",
        );
    }
}

async fn in_batches<F>(ticks: &Ticks, batch: impl Fn() -> F) -> Result<u64, StoreError>
where
    F: Future<Output = Result<u64, StoreError>>,
{
    let mut all = 0_u64;
    while !ticks.is_time_to_stop() {
        let done = batch().await?;
        all = all.saturating_add(done);
        if done == 0 {
            break;
        }
    }
    Ok(all)
}

fn tell(done: Result<u64, StoreError>, what: &str) {
    match done {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "{what}"),
        Err(error) => tracing::warn!(%error, "could not tidy up webhook deliveries"),
    }
}
