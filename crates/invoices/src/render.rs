//! PdfRequest an invoice: the document that a caller asked for.
//!
//! It comes in two steps, since reading waits and drawing computes: [`Invoicing::drawing`] fetches everything, and
//! [`PdfRequest::draw`] can then go to a thread that may be held.

use std::sync::Arc;

use kernel::AccountScope;

use crate::document::{DocumentError, InvoiceDocuments};
use crate::invoice::{Invoice, InvoiceId};
use crate::invoicing::Invoicing;
use crate::letterhead::Letterhead;
use crate::read::ReadInvoiceError;

/// Everything that drawing one invoice takes.
#[derive(Clone)]
pub struct PdfRequest {
    /// What its account says of itself.
    pub letterhead: Letterhead,
    /// The invoice.
    pub invoice: Invoice,
    /// The address of its payment page.
    pub pay_url: String,
    documents: Arc<dyn InvoiceDocuments>,
}

impl Invoicing {
    /// What drawing one invoice of the account takes: the invoice as it is now, under the letterhead of today.
    ///
    /// # Errors
    /// [`ReadInvoiceError::NotFound`], also for an invoice of another account.
    pub async fn pdf_request(
        &self,
        scope: &AccountScope,
        id: InvoiceId,
    ) -> Result<PdfRequest, ReadInvoiceError> {
        let invoice = self.get(scope, id).await?;
        let letterhead = self.reads.letterhead(scope.id).await?;
        let logo = self.mailer.fetch_logo(&letterhead).await;
        Ok(PdfRequest {
            pay_url: self.mailer.pay_url(&invoice.pay_token),
            letterhead: self.mailer.with_logo(letterhead, logo.as_ref()),
            invoice,
            documents: self.mailer.documents.clone(),
        })
    }
}

impl PdfRequest {
    /// The invoice as a PDF. It computes and does not wait: async callers move it to a thread that may be held.
    ///
    /// # Errors
    /// [`DocumentError`] when the document cannot be made at all.
    pub fn render(&self) -> Result<Vec<u8>, DocumentError> {
        self.documents
            .render(&self.letterhead, &self.invoice, &self.pay_url)
    }
}
