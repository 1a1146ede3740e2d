//! Cancelling an invoice.

use kernel::{AccountScope, StoreError, Version, retry_contended};

use crate::audited;
use crate::invoice::transitions::NotCancellable;
use crate::invoice::{Invoice, InvoiceId};
use crate::invoicing::Invoicing;

/// Why an invoice was not cancelled.
#[derive(Debug, thiserror::Error)]
pub enum CancelInvoiceError {
    /// The account has no such invoice.
    #[error("the account has no such invoice")]
    NotFound,
    /// The invoice is paid or cancelled already.
    #[error(transparent)]
    NotCancellable(#[from] NotCancellable),
    /// The invoice was changed since the version that the caller wants to cancel.
    #[error("the invoice was changed meanwhile")]
    Changed,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Invoicing {
    /// Cancels an invoice: nothing is due any more, nothing is deleted, and its payments stay. If the ledger
    /// has the invoice, voiding it there is queued; if the voiding fails, the invoice stays cancelled. If a
    /// version is given, the invoice must still have it: a payment that was recorded since would stay with
    /// the cancelled invoice.
    ///
    /// # Errors
    /// A [`CancelInvoiceError`]; then nothing was changed.
    pub async fn cancel(
        &self,
        scope: &AccountScope,
        id: InvoiceId,
        version: Option<&Version>,
    ) -> Result<Invoice, CancelInvoiceError> {
        retry_contended(|| self.try_to_cancel(scope, id, version)).await
    }

    async fn try_to_cancel(
        &self,
        scope: &AccountScope,
        id: InvoiceId,
        version: Option<&Version>,
    ) -> Result<Invoice, CancelInvoiceError> {
        let mut tx = self.store.begin(scope.id).await?;
        let mut invoice = tx.invoices().lock(id).await?.ok_or(CancelInvoiceError::NotFound)?;
        if version.is_some_and(|version| invoice.version() != *version) {
            return Err(CancelInvoiceError::Changed);
        }
        let before = tx.is_audited().then(|| invoice.clone());
        let now = self.clock.now();
        invoice.cancel(now)?;
        if let Some(before) = before {
            tx.complete_audit(audited::cancellation(&before, &invoice));
        }
        tx.invoices().update(&invoice, false).await?;
        tx.checkouts().expire(id, &*self.ids, now).await?;
        self.queue_void(&mut *tx, &invoice, now).await?;
        tx.commit().await?;
        Ok(invoice)
    }
}
