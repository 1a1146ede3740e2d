//! What happened, written by the transaction in which it happened.

use async_trait::async_trait;
use kernel::{AccountId, StoreError};
use webhooks::{DeliveryId, Endpoint, Event, Events};

use super::publication::Publication;
use super::publish;
use super::unit_of_work::UnitOfWork;
use crate::errors::failed;

#[async_trait]
impl Events for UnitOfWork<AccountId> {
    async fn publish(
        &mut self,
        event: &Event,
        ids: &[DeliveryId; Endpoint::MOST_ENABLED],
    ) -> Result<(), StoreError> {
        if event.account != self.scope {
            return Err(failed("the event is of another account"));
        }
        let publication = Publication::new(event, ids);
        let everywhere = self.delivery_notifier.tells_everyone();
        let layout = self.tx.layout();
        let made = publish::publish(self.tx.conn().await?, layout, &publication, everywhere).await;
        if self.tx.settle(made)? {
            self.tx.wake_delivery_workers(&self.delivery_notifier);
        }
        Ok(())
    }
}
