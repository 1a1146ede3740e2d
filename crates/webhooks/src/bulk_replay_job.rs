//! The job of a replay of many deliveries.

use std::sync::Arc;

use async_trait::async_trait;
use kernel::{Id, Ids};
use outbox::{JobContext, JobHandler, Leased, NotDone, RetrySchedule, Task};
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

impl Task for BulkReplayTask {
    const KIND: &'static str = "webhook_replay";
}

impl BulkReplayTask {
    pub(crate) fn of<E>(replay: Id<E>) -> Self {
        Self { replay: replay.uuid() }
    }
}

/// Replays many deliveries; [`outbox::run`] runs it.
#[derive(Clone)]
pub struct BulkReplayWorker {
    /// The queued replays, and how many are made at once.
    pub jobs: JobContext,
    /// The deliveries.
    pub deliveries: Arc<dyn DeliveryStore>,
    /// Generates the ids of deliveries.
    pub ids: Arc<dyn Ids>,
}

#[async_trait]
impl JobHandler for BulkReplayWorker {
    const SCHEDULE: RetrySchedule =
        RetrySchedule { too_late: "not done within 24 hours", ..mail::schedule::SCHEDULE };
    type Payload = BulkReplayTask;

    fn jobs(&self) -> &JobContext {
        &self.jobs
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
            let now = self.jobs.clock.now();
            let new: Vec<DeliveryId> = (0..BATCH).map(|_| Id::new(&*self.ids, now)).collect();
            is_finished = self.deliveries.advance_bulk_replay(&replay, &new, now).await? < BATCH;
        }
        Ok(())
    }
}
