//! Replaying all deliveries that were abandoned since an instant, in the background.

use kernel::{AccountId, Id, StoreResult};
use outbox::{JobId, NewJob};
use time::OffsetDateTime;

use crate::administration::WebhookAdministration;
use crate::bulk_replay::{BulkReplay, BulkReplayId};
use crate::bulk_replay_job::BulkReplayTask;

impl WebhookAdministration {
    /// Starts the replay of all deliveries of an account that were abandoned at or after an instant and were
    /// not delivered since. A [`BulkReplayWorker`](crate::BulkReplayWorker) carries it out. `None` when there
    /// is nothing to replay.
    ///
    /// # Errors
    /// A [`kernel::StoreError`]; then nothing was started.
    pub async fn begin_bulk_replay(
        &self,
        account: AccountId,
        abandoned_since: OffsetDateTime,
    ) -> StoreResult<Option<BulkReplay>> {
        let total = self.deliveries.count_abandoned(account, abandoned_since).await?;
        if total == 0 {
            return Ok(None);
        }
        let now = self.clock.now();
        let id = Id::new(&*self.ids, now);
        let replay =
            BulkReplay { id, account, abandoned_since, requested_at: now, total, made: 0, finished_at: None };
        let job = NewJob::of(&BulkReplayTask::of(id), JobId::new(&*self.ids, now), account, now);
        self.deliveries.insert_bulk_replay(&replay, job).await?;
        Ok(Some(replay))
    }

    /// A replay of many deliveries of an account; `None` when the account has none with this id.
    pub async fn bulk_replay(&self, account: AccountId, id: BulkReplayId) -> StoreResult<Option<BulkReplay>> {
        self.deliveries.bulk_replay(account, id).await
    }
}
