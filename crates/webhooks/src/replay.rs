//! Replaying: delivering the same event to the same endpoint again, since the schedule ends after 14 hours
//! and 35 minutes.

use kernel::{AccountId, Id, Operator, StoreError, StoreResult};
use time::OffsetDateTime;

use crate::administration::WebhookAdministration;
use crate::delivery::{Delivery, DeliveryId};
use crate::ports::Replay;

/// How many new deliveries are made in one transaction.
const BATCH: usize = 500;

/// Why a delivery was not replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// There is no finished delivery with this id.
    #[error("there is no finished delivery with this id (one that is still pending is attempted by itself)")]
    NotFinished,
    /// The endpoint is disabled or deleted.
    #[error("its endpoint is disabled or deleted: enable it first, or register it again")]
    EndpointOff,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl WebhookAdministration {
    /// Delivers the event of a finished delivery again: same event id, same bytes, as a new delivery with its
    /// own attempts (decisions, "Webhooks").
    pub async fn replay(&self, operator: Operator, delivery: DeliveryId) -> Result<Delivery, ReplayError> {
        let now = self.clock.now();
        let new = Id::new(&*self.ids, now);
        made(self.deliveries.replay(operator, delivery, new, now).await?)
    }

    /// The same for a delivery of an account. A delivery of another account is not found.
    pub async fn replay_own(
        &self,
        account: AccountId,
        delivery: DeliveryId,
    ) -> Result<Delivery, ReplayError> {
        let now = self.clock.now();
        let new = Id::new(&*self.ids, now);
        made(self.deliveries.replay_own(account, delivery, new, now).await?)
    }

    /// Replays all deliveries of an account that were abandoned at or after an instant and were not delivered
    /// since. Idempotent: a second call replays nothing.
    ///
    /// # Errors
    /// A [`StoreError`]; batches made before it stay.
    pub async fn replay_abandoned(
        &self,
        account: AccountId,
        since: OffsetDateTime,
    ) -> StoreResult<Vec<Delivery>> {
        let mut made = Vec::new();
        loop {
            let now = self.clock.now();
            let new: Vec<DeliveryId> = (0..BATCH).map(|_| Id::new(&*self.ids, now)).collect();
            let batch = self.deliveries.replay_abandoned(account, since, &new, now).await?;
            let last = batch.len() < BATCH;
            made.extend(batch);
            if last {
                return Ok(made);
            }
        }
    }
}

fn made(replay: Replay) -> Result<Delivery, ReplayError> {
    match replay {
        Replay::Made(made) => Ok(*made),
        Replay::NotFinished => Err(ReplayError::NotFinished),
        Replay::EndpointOff => Err(ReplayError::EndpointOff),
    }
}
