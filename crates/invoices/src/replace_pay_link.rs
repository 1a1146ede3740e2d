//! Replacing the token of an invoice's payment page.

use kernel::{AccountScope, AuditDetails, StoreError, Version, retry_contended};

use crate::audited;
use crate::invoice::{Invoice, InvoiceId};
use crate::invoicing::Invoicing;
use crate::pay_token::PayToken;

/// Why the address of a payment page was not replaced.
#[derive(Debug, thiserror::Error)]
pub enum ReplacePayLinkError {
    /// The account has no such invoice.
    #[error("the account has no such invoice")]
    NotFound,
    /// The invoice was changed since the version whose address the caller wants to replace.
    #[error("the invoice was changed meanwhile")]
    Changed,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Invoicing {
    /// Gives an invoice's payment page a new token. From the commit on, the old token shows nothing of the
    /// invoice; it is kept, so that its page can say how to get the new address. With a version, the invoice
    /// must still have it.
    ///
    /// # Errors
    /// A [`ReplacePayLinkError`]; then nothing was changed.
    pub async fn replace_pay_link(
        &self,
        scope: &AccountScope,
        id: InvoiceId,
        version: Option<&Version>,
    ) -> Result<Invoice, ReplacePayLinkError> {
        retry_contended(|| self.try_to_replace(scope, id, version)).await
    }

    async fn try_to_replace(
        &self,
        scope: &AccountScope,
        id: InvoiceId,
        version: Option<&Version>,
    ) -> Result<Invoice, ReplacePayLinkError> {
        let mut tx = self.store.begin(scope.id).await?;
        let mut invoice = tx.invoices().lock(id).await?.ok_or(ReplacePayLinkError::NotFound)?;
        if version.is_some_and(|version| invoice.version() != *version) {
            return Err(ReplacePayLinkError::Changed);
        }
        let now = self.clock.now();
        let old = invoice.replace_pay_token(PayToken::generate(scope.id, &*self.random), now);
        tx.invoices().update(&invoice, false).await?;
        tx.pay_tokens().insert_replaced(id, &old, now).await?;
        tx.checkouts().expire(id, &*self.ids, now).await?;
        tx.complete_audit(AuditDetails { before: None, after: Some(audited::named(&invoice)) });
        tx.commit().await?;
        Ok(invoice)
    }
}
