//! Events, written by the transaction in which they happen.

use async_trait::async_trait;
use kernel::{AccountId, StoreResult};
use store_schema::errors::failed;
use webhooks::{DeliveryId, Endpoint, Event, Events};

use super::publication::Publication;
use super::unit_of_work::UnitOfWork;

#[async_trait]
impl Events for UnitOfWork<AccountId> {
    async fn publish(&mut self, event: &Event, ids: &[DeliveryId; Endpoint::MAX_ENABLED]) -> StoreResult<()> {
        if event.account != self.scope {
            return Err(failed("the event is of another account"));
        }
        self.tx.publish(Publication::new(event, ids), &self.delivery_notifier);
        Ok(())
    }
}
