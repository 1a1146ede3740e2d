//! Webhook deliveries of all accounts: leasing, recording, finishing lost ones and pruning, each in a file of
//! its own.

use async_trait::async_trait;
use kernel::{AccountId, StoreResult};
use outbox::{LeaseRequest, LeasedBatch, Unrecorded};
use time::OffsetDateTime;
use webhooks::{DeliveryQueue, DeliveryResult, DeliverySchedule, EndpointId, LeasedDelivery};

use super::database::Database;
use super::{endpoint_reads, finish_lost, prune_deliveries, record_deliveries};
use crate::lease_deliveries;

#[async_trait]
impl DeliveryQueue for Database {
    async fn lease_due(
        &self,
        request: LeaseRequest<'_, EndpointId>,
        schedule: &DeliverySchedule,
    ) -> StoreResult<LeasedBatch<LeasedDelivery>> {
        lease_deliveries::lease_due(&self.pool, &self.faulty_accounts, request, schedule).await
    }

    async fn enabled_urls(
        &self,
        endpoints: &[(AccountId, EndpointId)],
    ) -> StoreResult<Vec<(EndpointId, String)>> {
        endpoint_reads::enabled_urls(&self.pool, endpoints).await
    }

    async fn record(&self, results: &[DeliveryResult]) -> Result<(), Vec<Unrecorded<DeliveryResult>>> {
        record_deliveries::record(&self.pool, &self.faulty_accounts, results).await
    }

    fn accounts_fail_alone(&self) -> bool {
        self.pool.layout().is_distributed()
    }

    async fn finish_lost(&self, now: OffsetDateTime, max_attempts: u32, limit: u32) -> StoreResult<u64> {
        finish_lost::finish_lost(&self.pool, now, max_attempts, limit).await
    }

    async fn prune(&self, before: OffsetDateTime, limit: u32) -> StoreResult<u64> {
        prune_deliveries::prune(&self.pool, before, limit).await
    }
}
