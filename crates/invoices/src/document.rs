//! The invoice as a document to hand over: the port that lays it out.

use kernel::errors::Source;

use crate::invoice::Invoice;
use crate::letterhead::Letterhead;

/// An invoice could not be laid out. Nothing that a caller can mend: its fields were right.
#[derive(Debug, thiserror::Error)]
#[error("the invoice could not be laid out as a document")]
pub struct DocumentError(#[from] pub Source);

/// Lays invoices out as documents to print, mail and archive.
///
/// An implementation answers a complete PDF (ISO 32000) for every invoice that the domain can hold, whatever its texts say and
/// however many lines it has, and the same bytes for the same input. Nothing of the invoice is left out or cut; a logo that cannot
/// be read is left out. It computes and does not wait, for up to seconds when an invoice has megabytes of text: async callers
/// move it to a thread that may be held.
pub trait InvoiceDocuments: Send + Sync {
    /// The invoice as a PDF. `pay_url` is the address of its payment page, shown while there is something to pay.
    ///
    /// # Errors
    /// [`DocumentError`] when the document cannot be made at all.
    fn render(
        &self,
        letterhead: &Letterhead,
        invoice: &Invoice,
        pay_url: &str,
    ) -> Result<Vec<u8>, DocumentError>;
}
