//! Test deliveries: a sample event on its way to one endpoint, attempted and logged as any other.

use kernel::{AccountId, Id, PublicUrls, StoreError};
use uuid::Uuid;

use crate::administration::WebhookAdministration;
use crate::delivery::DeliveryId;
use crate::endpoint::{Endpoint, EndpointId};
use crate::event::{EscalationFacts, Event, EventName, Occurrence};

/// Why no test delivery is made.
#[derive(Debug, thiserror::Error)]
pub enum TestDeliveryError {
    /// The account has no such endpoint.
    #[error("there is no such endpoint")]
    NotFound,
    /// Nothing is delivered to it.
    #[error("the endpoint is disabled: enable it first")]
    EndpointOff,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl WebhookAdministration {
    /// Makes a delivery of a sample event to one endpoint of an account: of the first event that the endpoint
    /// is subscribed to, about an invoice or an escalation that does not exist.
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
        let event = sample(endpoint, of, self.ids.uuid_at(now));
        let delivery = Id::new(&*self.ids, now);
        if self.log.publish_to(id, &event, delivery).await? {
            Ok(delivery)
        } else {
            Err(TestDeliveryError::EndpointOff)
        }
    }
}

fn sample(endpoint: &Endpoint, of: Occurrence, resource: Uuid) -> Event {
    let facts = EscalationFacts {
        id: resource,
        escalation_type: "human_request",
        priority: "medium",
        trigger_channel: "email",
        invoice_id: None,
        contact_id: None,
    };
    match endpoint.events.iter().next() {
        Some(EventName::EscalationCreated) => Event::escalation_created(of, &facts),
        Some(EventName::EscalationResolved) => {
            let at = of.at;
            Event::escalation_resolved(of, &facts, Some("other"), at)
        }
        Some(EventName::PaymentRecorded) | None => Event::payment_recorded(of, resource),
    }
}
