//! The port to the accounting system.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::payload::LedgerTaskId;
use crate::invoice::Invoice;
use crate::ledger_invoice_id::LedgerInvoiceId;

/// Why a call to the ledger failed.
pub type LedgerError = outbox::Failure;

/// The accounting system.
///
/// An implementation limits each call to well below [`outbox::LEASE`]. A ledger that limits how often it is
/// called answers [`LedgerError::Later`].
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Enters an issued invoice and returns the ledger's id of it.
    ///
    /// An implementation enters one invoice for one key, however often it is called, and never changes an
    /// invoice that the ledger has already: a different invoice with the same number is refused.
    async fn push(&self, key: LedgerTaskId, invoice: &Invoice) -> Result<LedgerInvoiceId, LedgerError>;

    /// The id of this invoice, if a push whose response was lost has entered it; `None` when the invoice is
    /// missing or void.
    async fn find(&self, invoice: &Invoice) -> Result<Option<LedgerInvoiceId>, LedgerError>;

    /// Voids an invoice. `Ok` if it is void already.
    async fn void(&self, id: &LedgerInvoiceId) -> Result<(), LedgerError>;

    /// The instant before which it takes no call, if it answered [`LedgerError::Later`].
    fn not_before(&self) -> Option<OffsetDateTime> {
        None
    }
}
