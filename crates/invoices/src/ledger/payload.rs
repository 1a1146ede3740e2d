//! What is to be done in the ledger: the payload of a job.

use kernel::Ids;
use outbox::{JobId, NewJob};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::invoice::{Invoice, InvoiceId};
use crate::ledger_invoice_id::LedgerInvoiceId;

/// The id of a task; the ledger knows it as the key under which a push is done once.
pub type LedgerTaskId = JobId;

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "operation", rename_all = "snake_case")]
pub enum LedgerTask {
    /// This invoice is to be in the ledger.
    Push {
        /// The invoice's id.
        invoice: Uuid,
    },
    /// The ledger's invoice with this id is to be void.
    Void {
        /// The id that the ledger gave.
        ledger_invoice_id: String,
    },
}

impl LedgerTask {
    /// The kind of job that a task is.
    pub const KIND: &'static str = "ledger";

    /// The push of an invoice.
    #[must_use]
    pub fn push(invoice: InvoiceId) -> Self {
        Self::Push { invoice: invoice.uuid() }
    }

    /// The voiding of an invoice that the ledger has.
    #[must_use]
    pub fn void(id: &LedgerInvoiceId) -> Self {
        Self::Void { ledger_invoice_id: id.as_str().to_owned() }
    }

    /// The job that does it, about this invoice.
    #[must_use]
    pub fn into_job(self, invoice: &Invoice, ids: &dyn Ids, now: OffsetDateTime) -> NewJob {
        NewJob {
            id: JobId::new(ids, now),
            account: invoice.account,
            kind: Self::KIND,
            resource_id: Some(invoice.id.uuid()),
            to_customer: false,
            payload: outbox::payload(&self),
            queued_at: now,
        }
    }
}
