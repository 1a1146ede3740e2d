//! The job of a replay of many deliveries.

use std::num::NonZeroU32;
use std::sync::Arc;

use async_trait::async_trait;
use kernel::{Clock, Id, Ids};
use outbox::{Handler, Leased, NotDone, Queue, RetrySchedule};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::delivery::DeliveryId;
use crate::ports::DeliveryStore;

/// How many new deliveries are made in one transaction.
const BATCH: usize = 500;

/// The job's payload.
#[derive(Debug, Serialize, Deserialize)]
pub struct BulkReplayTask {
    replay: Uuid,
}

impl BulkReplayTask {
    pub(crate) const KIND: &'static str = "webhook_replay";

    pub(crate) fn of<E>(replay: Id<E>) -> Self {
        Self { replay: replay.uuid() }
    }
}

/// Replays many deliveries; [`outbox::run`] runs it.
#[derive(Clone)]
pub struct BulkReplayWorker {
    /// The queued replays.
    pub queue: Arc<dyn Queue>,
    /// The deliveries.
    pub deliveries: Arc<dyn DeliveryStore>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Generates the ids of deliveries.
    pub ids: Arc<dyn Ids>,
    /// The number of concurrent replays.
    pub max_concurrent: NonZeroU32,
}

#[async_trait]
impl Handler for BulkReplayWorker {
    const NAME: &'static str = BulkReplayTask::KIND;
    const SCHEDULE: RetrySchedule =
        RetrySchedule { too_late: "not done within 24 hours", ..mail::schedule::SCHEDULE };
    type Payload = BulkReplayTask;

    fn queue(&self) -> &dyn Queue {
        &*self.queue
    }

    fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    fn max_concurrent(&self) -> NonZeroU32 {
        self.max_concurrent
    }

    /// A second attempt continues where the first one stopped: deliveries that were replayed already are left
    /// out.
    async fn handle(&self, job: &Leased<BulkReplayTask>) -> Result<(), NotDone> {
        let (account, id) = (job.lease.account, Id::from_uuid(job.payload.replay));
        let Some(replay) = self.deliveries.bulk_replay(account, id).await? else {
            return Ok(());
        };
        let mut is_finished = replay.finished_at.is_some();
        while !is_finished {
            let now = self.clock.now();
            let new: Vec<DeliveryId> = (0..BATCH).map(|_| Id::new(&*self.ids, now)).collect();
            let batch = self.deliveries.replay_abandoned(account, replay.abandoned_since, &new, now).await?;
            is_finished = batch.len() < BATCH;
            let made = u64::try_from(batch.len()).unwrap_or(u64::MAX);
            self.deliveries.note_bulk_replay(account, id, made, is_finished.then_some(now)).await?;
        }
        Ok(())
    }
}
