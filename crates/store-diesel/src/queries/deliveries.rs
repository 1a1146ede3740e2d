//! Webhook deliveries of every account: leased, recorded, swept, forgotten. Each has a file of its own.

use async_trait::async_trait;
use kernel::StoreError;
use time::OffsetDateTime;
use webhooks::{Claim, Claimed, DeliveryQueue, Settled};

use super::database::Database;
use super::{claim, prune, settle, sweep};

#[async_trait]
impl DeliveryQueue for Database {
    async fn lease_due(&self, wanted: Claim<'_>) -> Result<Claimed, StoreError> {
        claim::lease_due(&self.pool, wanted).await
    }

    async fn record(&self, settled: &[Settled]) -> Result<(), StoreError> {
        settle::record(&self.pool, settled).await
    }

    async fn sweep(
        &self,
        now: OffsetDateTime,
        most_attempts: u32,
        most: u32,
    ) -> Result<u64, StoreError> {
        sweep::sweep(&self.pool, now, most_attempts, most).await
    }

    async fn prune(&self, before: OffsetDateTime, most: u32) -> Result<u64, StoreError> {
        prune::prune(&self.pool, before, most).await
    }
}
