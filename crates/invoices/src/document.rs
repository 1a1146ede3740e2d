//! The invoice as a document to hand over: what an account says of itself, and the port that lays it out.

use std::sync::Arc;

use kernel::errors::Source;

use crate::invoice::Invoice;

/// What an account says of itself at the head of an invoice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Letterhead {
    /// The company's name.
    pub company_name: String,
    /// Where to write to.
    pub email: Option<String>,
    /// Where to call.
    pub phone: Option<String>,
    /// The Australian business number.
    pub abn: Option<String>,
    /// The postal address, a line each, from the street to the country.
    pub address_lines: Vec<String>,
    /// The colour of the brand, `#1A2B3C`. Anything else is as good as none.
    pub brand_color: Option<String>,
    /// The logo.
    pub logo: Option<Logo>,
}

/// The picture of a logo, as it was uploaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logo {
    /// The bytes of the picture.
    pub bytes: Arc<[u8]>,
    /// What they are.
    pub kind: LogoKind,
}

/// The formats of a logo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LogoKind {
    /// PNG (ISO/IEC 15948).
    Png,
    /// JPEG (ISO/IEC 10918-1).
    Jpeg,
}

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
