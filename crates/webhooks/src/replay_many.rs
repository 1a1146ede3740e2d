//! Replaying all deliveries that were abandoned since an instant, in the background.

use kernel::{AccountId, Id, StoreResult};
use outbox::{JobHandler as _, JobId, NewJob};
use time::{Duration, OffsetDateTime};

use crate::administration::WebhookAdministration;
use crate::bulk_replay::{BulkReplay, BulkReplayId};
use crate::bulk_replay_job::{BulkReplayTask, BulkReplayWorker};

impl WebhookAdministration {
    /// Starts the replay of all deliveries of an account that were abandoned at or after an instant and were
    /// not delivered since. A [`BulkReplayWorker`] carries it out. The id is that of
    /// an earlier replay if that is not finished and covers them all; `None` when there is nothing to replay.
    ///
    /// # Errors
    /// A [`kernel::StoreError`]; then nothing was started.
    pub async fn begin_bulk_replay(
        &self,
        account: AccountId,
        abandoned_since: OffsetDateTime,
    ) -> StoreResult<Option<BulkReplayId>> {
        let now = self.clock.now();
        // One that is older was given up.
        let requested_since = now.saturating_sub(BulkReplayWorker::SCHEDULE.give_up_after);
        let deliveries = &self.deliveries;
        let under_way = deliveries.unfinished_bulk_replay(account, requested_since, abandoned_since).await?;
        if let Some(under_way) = under_way {
            let later = abandoned_since.max(under_way.requested_at.saturating_add(Duration::MICROSECOND));
            if deliveries.count_abandoned(account, later..=now).await? == 0 {
                return Ok(Some(under_way.id));
            }
        }
        let total = deliveries.count_abandoned(account, abandoned_since..=now).await?;
        if total == 0 {
            return Ok(None);
        }
        let id = Id::new(&*self.ids, now);
        let replay =
            BulkReplay { id, account, abandoned_since, requested_at: now, total, made: 0, finished_at: None };
        let job = NewJob::of(&BulkReplayTask::of(id), JobId::new(&*self.ids, now), account, now);
        self.deliveries.insert_bulk_replay(&replay, job).await?;
        Ok(Some(id))
    }

    /// A replay of many deliveries of an account; `None` when the account has none with this id.
    pub async fn bulk_replay(&self, account: AccountId, id: BulkReplayId) -> StoreResult<Option<BulkReplay>> {
        self.deliveries.bulk_replay(account, id).await
    }
}
