//! What a job does in the ledger: its payload.

use kernel::Ids;
use outbox::{JobId, NewJob, Task};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::invoice::{Invoice, InvoiceId};
use crate::ledger_invoice_id::LedgerInvoiceId;

/// The id of a task. The ledger receives it as the key under which a push is carried out once.
pub type LedgerTaskId = JobId;

/// An operation in the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "operation", rename_all = "snake_case")]
pub enum LedgerTask {
    /// Enter this invoice in the ledger.
    Push {
        /// The invoice's id.
        invoice: Uuid,
    },
    /// Void the ledger's invoice with this id.
    Void {
        /// The ledger's id of the invoice.
        ledger_invoice_id: String,
    },
}

impl Task for LedgerTask {
    const KIND: &'static str = "ledger";
}

impl LedgerTask {
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

    /// The job that carries out this task for an invoice.
    #[must_use]
    pub fn into_job(self, invoice: &Invoice, ids: &dyn Ids, now: OffsetDateTime) -> NewJob {
        let job = NewJob::of(&self, JobId::new(ids, now), invoice.account, now);
        NewJob { resource_id: Some(invoice.id.uuid()), ..job }
    }
}
