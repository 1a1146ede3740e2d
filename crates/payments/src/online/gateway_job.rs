//! The gateway tasks that transactions queue: expiring checkouts, making refunds, following up events.

use invoices::InvoiceId;
use kernel::{AccountId, Id, Ids};
use outbox::{NewJob, Task};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

/// A call to make at a gateway.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "task", rename_all = "snake_case")]
pub enum GatewayTask {
    /// Expire the checkout of an intent, and settle the charges made until then.
    Expire {
        /// The intent.
        intent: Uuid,
    },
    /// Refund a part of a charge.
    Refund {
        /// The reversal.
        refund: Uuid,
    },
    /// Fetch the checkout that an event was about.
    Checkout {
        /// The gateway account that the event came from.
        gateway_account: Uuid,
        /// The checkout.
        checkout: String,
    },
    /// Fetch the charge that an event was about.
    Charge {
        /// The gateway account that the event came from.
        gateway_account: Uuid,
        /// The charge.
        charge: String,
    },
}

impl Task for GatewayTask {
    const KIND: &'static str = "gateway";
}

impl GatewayTask {
    /// The job of this task. `about` is the invoice that it concerns.
    #[must_use]
    pub fn into_job(
        self,
        account: AccountId,
        about: Option<InvoiceId>,
        ids: &dyn Ids,
        now: OffsetDateTime,
    ) -> NewJob {
        let job = NewJob::of(&self, Id::new(ids, now), account, now);
        NewJob { resource_id: about.map(Id::uuid), ..job }
    }
}
