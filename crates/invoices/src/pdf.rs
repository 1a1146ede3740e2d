//! An invoice as a PDF, for a caller of the API.

use std::sync::Arc;

use kernel::{AccountScope, Clock, ReadError, StoreError};
use time::OffsetDateTime;

use crate::document::{DocumentError, InvoiceRenderer};
use crate::invoice::{Invoice, InvoiceId};
use crate::letterhead::Letterhead;
use crate::number::InvoiceNumber;
use crate::ports::InvoiceReads;
use crate::read::NOT_FOUND;

/// Makes PDFs of stored invoices.
#[derive(Clone)]
pub struct InvoicePdfs {
    /// Reads invoices and letterheads.
    pub reads: Arc<dyn InvoiceReads>,
    /// Renders them.
    pub renderer: InvoiceRenderer,
    /// Decides which bank details are in force.
    pub clock: Arc<dyn Clock>,
}

/// An invoice as a PDF.
#[derive(Debug)]
pub struct InvoicePdf {
    /// The number of the invoice.
    pub number: InvoiceNumber,
    /// The bytes of the PDF.
    pub bytes: Vec<u8>,
}

impl InvoicePdf {
    /// Renders an invoice, as the errors of the caller's use case need it.
    pub(crate) async fn render<E: From<StoreError> + From<DocumentError>>(
        renderer: &InvoiceRenderer,
        letterhead: Letterhead,
        invoice: Invoice,
        at: OffsetDateTime,
    ) -> Result<Self, E> {
        let number = invoice.number.clone();
        let document = renderer.document(letterhead, invoice, at).await?;
        let bytes = renderer.documents.render(document).await?;
        Ok(Self { number, bytes })
    }
}

/// Why no PDF was made.
#[derive(Debug, thiserror::Error)]
pub enum PdfError {
    /// The account has no such invoice, or the store failed.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The document could not be made.
    #[error(transparent)]
    Document(#[from] DocumentError),
}

impl From<StoreError> for PdfError {
    fn from(error: StoreError) -> Self {
        Self::Read(error.into())
    }
}

impl InvoicePdfs {
    /// The PDF of one invoice of the account in its present state, under the present letterhead.
    ///
    /// # Errors
    /// [`ReadError::NotFound`], also for an invoice of another account.
    pub async fn pdf(&self, scope: &AccountScope, id: InvoiceId) -> Result<InvoicePdf, PdfError> {
        let found = self.reads.get(scope.id, id).await?;
        let invoice = found.ok_or(NOT_FOUND)?;
        let letterhead = self.reads.letterhead(scope.id).await?;
        InvoicePdf::render(&self.renderer, letterhead, invoice, self.clock.now()).await
    }
}
