//! What the books need from outside: the accounting system.

use async_trait::async_trait;

use super::payload::LedgerTaskId;
use crate::invoice::Invoice;
use crate::ledger_invoice_id::LedgerInvoiceId;

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
