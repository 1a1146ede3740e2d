//! What is done at a gateway after a transaction: checkouts expired, refunds made, events followed up.

use invoices::InvoiceId;
use kernel::{AccountId, Id, Ids};
use outbox::NewJob;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

/// What is to be done at a gateway.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "task", rename_all = "snake_case")]
pub enum GatewayTask {
    /// Expire the checkout of an intent, and settle what came of it meanwhile.
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
        /// The connection.
        gateway_account: Uuid,
        /// The checkout.
        checkout: String,
    },
    /// Fetch the charge that an event was about.
    Charge {
        /// The connection.
        gateway_account: Uuid,
        /// The charge.
        charge: String,
    },
}

impl GatewayTask {
    /// The kind of job that such a task is.
    pub const KIND: &'static str = "gateway";

    /// The job that does it. `about` is the record that it is about.
    #[must_use]
    pub fn into_job(
        self,
        account: AccountId,
        about: Option<InvoiceId>,
        ids: &dyn Ids,
        now: OffsetDateTime,
    ) -> NewJob {
        NewJob {
            id: Id::new(ids, now),
            account,
            kind: Self::KIND,
            resource_id: about.map(Id::uuid),
            to_customer: false,
            payload: outbox::payload(&self),
            queued_at: now,
        }
    }
}
