//! What is to be done in the ledger: queued, and leased for one attempt.

use kernel::{AccountId, Entity, Id, Line};
use time::OffsetDateTime;

use crate::invoice::{Invoice, InvoiceId};

/// Names the task.
#[derive(Debug, Clone, Copy)]
pub enum LedgerTaskEntity {}
impl Entity for LedgerTaskEntity {
    const NAME: &'static str = "ledger task";
}

/// The id of a task; the ledger knows it as the key under which a push is done once.
pub type LedgerTaskId = Id<LedgerTaskEntity>;

/// The id that the ledger gave an invoice.
pub type LedgerInvoiceId = Line<255>;

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
    pub fn new(
        id: LedgerTaskId,
        invoice: &Invoice,
        what: LedgerWork,
        queued_at: OffsetDateTime,
    ) -> Self {
        Self {
            id,
            account: invoice.account,
            invoice: invoice.id,
            what,
            queued_at,
        }
    }
}

/// The right to make one attempt at a task, for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LedgerLease {
    /// The task.
    pub id: LedgerTaskId,
    /// The account whose invoice it is about.
    pub account: AccountId,
    /// Which attempt this is, from 1. Each lease counts, so two holders of leases on one task have different numbers.
    pub attempt: u32,
}

/// A task with the lease to make one attempt at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeasedTask {
    /// The task.
    pub task: LedgerTask,
    /// Which attempt this is, from 1.
    pub attempt: u32,
}

impl LeasedTask {
    /// The lease alone.
    #[must_use]
    pub const fn lease(&self) -> LedgerLease {
        LedgerLease {
            id: self.task.id,
            account: self.task.account,
            attempt: self.attempt,
        }
    }
}
