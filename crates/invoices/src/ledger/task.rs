//! What is to be done in the ledger: queued, and leased for one attempt.

use kernel::{AccountId, Entity, Id};
use outbox::Work;
use time::OffsetDateTime;

use crate::invoice::{Invoice, InvoiceId};
use crate::ledger_invoice_id::LedgerInvoiceId;

/// Names the task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LedgerTaskEntity {}
impl Entity for LedgerTaskEntity {
    const NAME: &'static str = "ledger task";
}

/// The id of a task; the ledger knows it as the key under which a push is done once.
pub type LedgerTaskId = Id<LedgerTaskEntity>;

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LedgerWork {
    /// The invoice is to be in the ledger.
    Push,
    /// The ledger's invoice with this id is to be void.
    Void(LedgerInvoiceId),
}

/// One thing to do in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerTask {
    /// The task's id.
    pub id: LedgerTaskId,
    /// The account whose invoice it is about.
    pub account: AccountId,
    /// The invoice.
    pub invoice: InvoiceId,
    /// What is to be done with it.
    pub what: LedgerWork,
    /// When it was queued, UTC.
    pub queued_at: OffsetDateTime,
}

impl LedgerTask {
    /// A task about an invoice.
    #[must_use]
    pub fn new(id: LedgerTaskId, invoice: &Invoice, what: LedgerWork, queued_at: OffsetDateTime) -> Self {
        Self { id, account: invoice.account, invoice: invoice.id, what, queued_at }
    }
}

impl Work for LedgerTask {
    type Entity = LedgerTaskEntity;

    fn id(&self) -> LedgerTaskId {
        self.id
    }

    fn account(&self) -> AccountId {
        self.account
    }

    fn queued_at(&self) -> OffsetDateTime {
        self.queued_at
    }
}

/// The right to make one attempt at a task, for a while.
pub type LedgerLease = outbox::Lease<LedgerTaskEntity>;

/// A task with the lease to make one attempt at it.
pub type LeasedTask = outbox::Leased<LedgerTask>;
