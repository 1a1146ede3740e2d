//! Reading the deliveries of an account: what was sent, how it was signed, and the responses.

use kernel::{AccountId, StoreResult};

use crate::administration::WebhookAdministration;
use crate::delivery::{Delivery, DeliveryId};
use crate::ports::DeliveryFilter;
use crate::signature::sign;

/// A delivery as shown to its account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownDelivery {
    /// The delivery with its attempts.
    pub delivery: Delivery,
    /// Whether its endpoint is enabled.
    pub enabled: bool,
    /// The body of each attempt.
    pub body: String,
    /// The signature of each attempt; `None` when the secret was deleted with the endpoint, or is sealed
    /// under an unknown master key.
    pub signature: Option<String>,
}

/// A page of an account's deliveries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryPage {
    /// The deliveries, newest event first.
    pub items: Vec<Delivery>,
    /// The last delivery of this page, after which the next page begins; `None` on the last page.
    pub next: Option<DeliveryId>,
}

impl WebhookAdministration {
    /// A page of an account's deliveries.
    pub async fn deliveries(&self, account: AccountId, filter: DeliveryFilter) -> StoreResult<DeliveryPage> {
        // One delivery more than the page holds shows whether there is a next page.
        let one_more = DeliveryFilter { limit: filter.limit.saturating_add(1), ..filter };
        let mut items = self.deliveries.list(account, one_more).await?;
        let limit = usize::try_from(filter.limit).unwrap_or(usize::MAX);
        let has_more = items.len() > limit;
        items.truncate(limit);
        let last = items.last().filter(|_last| has_more);
        let next = last.map(|last| last.id);
        Ok(DeliveryPage { items, next })
    }

    /// One delivery of an account with the content sent; `None` when the account has none with this id.
    pub async fn delivery(&self, account: AccountId, id: DeliveryId) -> StoreResult<Option<ShownDelivery>> {
        let Some(found) = self.deliveries.get(account, id).await? else {
            return Ok(None);
        };
        let opened = found.secret.map(|secret| secret.open(&self.keys, account, found.delivery.endpoint));
        let signature = match opened {
            Some(Ok(secret)) => Some(sign(&secret, found.body.as_bytes())),
            Some(Err(_)) | None => None,
        };
        Ok(Some(ShownDelivery {
            delivery: found.delivery,
            enabled: found.enabled,
            body: found.body,
            signature,
        }))
    }
}
