//! What the books need from outside: a place in transactions, a queue, the accounting system itself.

use async_trait::async_trait;
use kernel::StoreError;
use outbox::Queue;

use super::task::{LedgerTask, LedgerTaskId};
use crate::invoice::Invoice;
use crate::ledger_invoice_id::LedgerInvoiceId;

/// What the transaction's account has to do in the ledger.
#[async_trait]
pub trait LedgerQueue: Send {
    /// Queues a task, due at once. Workers see it once it is committed.
    async fn queue(&mut self, task: &LedgerTask) -> Result<(), StoreError>;
}

/// The tasks that wait to be done, of every account. Several processes share them.
pub type LedgerTasks = dyn Queue<LedgerTask>;

/// Why the ledger did not do what it was asked.
pub type LedgerError = outbox::Failure;

/// The accounting system.
///
/// An implementation ends each call well within [`outbox::LEASE`].
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Enters an issued invoice and says which id the ledger gave it.
    ///
    /// An implementation enters one invoice for one key, however often it is called, and never changes an
    /// invoice that is in the ledger already: another one with the same number is a refusal.
    async fn push(&self, key: LedgerTaskId, invoice: &Invoice) -> Result<LedgerInvoiceId, LedgerError>;

    /// The id of this invoice, if a push whose answer was lost has entered it; `None` when it is not there or
    /// void.
    async fn find(&self, invoice: &Invoice) -> Result<Option<LedgerInvoiceId>, LedgerError>;

    /// Makes an invoice void. One that is void already is `Ok`.
    async fn void(&self, id: &LedgerInvoiceId) -> Result<(), LedgerError>;
}
