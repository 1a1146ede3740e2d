//! Test deliveries: a sample event for one endpoint, attempted and logged like any other delivery.

use kernel::{AccountId, Id, PublicUrls, StoreError};

use crate::administration::WebhookAdministration;
use crate::delivery::DeliveryId;
use crate::endpoint::EndpointId;
use crate::event::{Event, EventName, Occurrence};

/// Why no test delivery was made.
#[derive(Debug, thiserror::Error)]
pub enum TestDeliveryError {
    /// The account has no such endpoint.
    #[error("there is no such endpoint")]
    NotFound,
    /// The endpoint is disabled.
    #[error("the endpoint is disabled: enable it first")]
    EndpointOff,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl WebhookAdministration {
    /// Makes a delivery of a sample event to one endpoint of an account: the first event that the endpoint is
    /// subscribed to, about an invoice or escalation that does not exist.
    ///
    /// # Errors
    /// A [`TestDeliveryError`]; then nothing was sent.
    pub async fn test(
        &self,
        account: AccountId,
        id: EndpointId,
        urls: &PublicUrls,
    ) -> Result<DeliveryId, TestDeliveryError> {
        let all = self.endpoints.list(account).await?.unwrap_or_default();
        let endpoint = all.iter().find(|one| one.id == id).ok_or(TestDeliveryError::NotFound)?;
        let now = self.clock.now();
        let of = Occurrence { id: Id::new(&*self.ids, now), account, at: now, urls: urls.clone() };
        let name = endpoint.events.iter().next().unwrap_or(EventName::PaymentRecorded);
        let event = Event::sample(name, of, self.ids.uuid_at(now));
        let delivery = Id::new(&*self.ids, now);
        if self.deliveries.publish_to(id, &event, delivery).await? {
            Ok(delivery)
        } else {
            Err(TestDeliveryError::EndpointOff)
        }
    }
}
