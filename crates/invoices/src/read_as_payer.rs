//! Reading an invoice as its payer, with the token of its payment page.

use std::sync::Arc;

use kernel::{Clock, StoreError};

use crate::document::{DocumentError, InvoiceRenderer};
use crate::invoice_for_payer::InvoiceForPayer;
use crate::pay_token::PayToken;
use crate::pdf::InvoicePdf;
use crate::ports::{PayeeAccount, PayerReads};

/// Why a payer cannot read an invoice or account.
#[derive(Debug, thiserror::Error)]
pub enum ReadAsPayerError {
    /// No issued invoice has the token, or no account has the name.
    #[error("there is no invoice at this address")]
    NotFound,
    /// The token was replaced. The account's payment page has this name.
    #[error("this address was replaced by a new one")]
    Replaced {
        /// The name of the account's payment page.
        payment_slug: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a payer receives no PDF.
#[derive(Debug, thiserror::Error)]
pub enum PayerPdfError {
    /// There is no such invoice, or the store failed.
    #[error(transparent)]
    Read(#[from] ReadAsPayerError),
    /// The account is switched off.
    #[error("the account that issued the invoice is switched off")]
    SwitchedOff,
    /// The document could not be made.
    #[error(transparent)]
    Document(#[from] DocumentError),
}

impl From<StoreError> for PayerPdfError {
    fn from(error: StoreError) -> Self {
        Self::Read(error.into())
    }
}

/// Reads invoices for holders of a payment page's token.
#[derive(Clone)]
pub struct PayerInvoices {
    /// Finds invoices by token.
    pub reads: Arc<dyn PayerReads>,
    /// Renders them.
    pub renderer: InvoiceRenderer,
    /// Decides which promises are open and which bank details are in force.
    pub clock: Arc<dyn Clock>,
}

impl PayerInvoices {
    /// The invoice with this token, with its promise if that is open. A draft is not shown, because it can
    /// still change freely.
    ///
    /// # Errors
    /// [`ReadAsPayerError::NotFound`] when no invoice has the token, and for a draft;
    /// [`ReadAsPayerError::Replaced`] when one had it before.
    pub async fn get(&self, token: &PayToken) -> Result<InvoiceForPayer, ReadAsPayerError> {
        let now = self.clock.now();
        let Some(found) = self.reads.by_pay_token(token, now).await? else {
            return Err(match self.reads.replaced_pay_token(token).await? {
                Some(payment_slug) => ReadAsPayerError::Replaced { payment_slug },
                None => ReadAsPayerError::NotFound,
            });
        };
        if found.invoice.is_draft() {
            return Err(ReadAsPayerError::NotFound);
        }
        let today = found.time_zone.date_at(now);
        let promise = found.promise.filter(|promise| promise.is_open(today));
        Ok(InvoiceForPayer { promise, ..found })
    }

    /// The invoice with this token as a PDF, in its present state.
    ///
    /// # Errors
    /// As [`PayerInvoices::get`], and [`PayerPdfError::SwitchedOff`].
    pub async fn pdf(&self, token: &PayToken) -> Result<InvoicePdf, PayerPdfError> {
        let found = self.get(token).await?;
        if !found.account_is_active {
            return Err(PayerPdfError::SwitchedOff);
        }
        let now = self.clock.now();
        InvoicePdf::render(&self.renderer, found.letterhead, found.invoice, now).await
    }

    /// The account whose payment page has this name.
    ///
    /// # Errors
    /// [`ReadAsPayerError::NotFound`] when there is none.
    pub async fn account(&self, payment_slug: &str) -> Result<PayeeAccount, ReadAsPayerError> {
        // The name comes from a URL and can be any text, also one that the database refuses.
        let is_slug = payment_slug.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'));
        let found = if is_slug { self.reads.account_by_slug(payment_slug).await? } else { None };
        found.ok_or(ReadAsPayerError::NotFound)
    }
}

#[cfg(test)]
mod tests;
