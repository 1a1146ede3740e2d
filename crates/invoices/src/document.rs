//! The invoice as a PDF: the port that lays it out, and the port that reads logos.

use std::sync::Arc;

use async_trait::async_trait;
use kernel::errors::Source;
use kernel::{LogoKey, PublicUrls};

use crate::invoice::Invoice;
use crate::letterhead::{Letterhead, Logo};

/// What one document shows.
#[derive(Debug, Clone)]
pub struct InvoiceDocument {
    /// The letterhead, with its logo if that can be read.
    pub letterhead: Letterhead,
    /// The invoice to lay out, with its payments.
    pub invoice: Invoice,
    /// The address of the invoice's payment page, shown while there is something to pay.
    pub pay_url: String,
}

/// An invoice could not be laid out. The caller's fields were right.
#[derive(Debug, thiserror::Error)]
#[error("the invoice could not be laid out as a document")]
pub struct DocumentError(#[from] pub Source);

/// Lays invoices out as documents to print, mail and archive.
///
/// An implementation makes a complete PDF (ISO 32000) for every invoice that the domain can hold, whatever
/// its texts say and however many lines it has, and the same bytes for the same input. Nothing of the invoice
/// is left out or cut; a logo that cannot be read is left out. It computes on threads of its own, at most as
/// many at a time as the machine has cores.
#[async_trait]
pub trait InvoiceDocuments: Send + Sync {
    /// The invoice as a PDF.
    ///
    /// # Errors
    /// [`DocumentError`] when the document cannot be made at all.
    async fn render(&self, document: InvoiceDocument) -> Result<Vec<u8>, DocumentError>;
}

/// Reads the pictures of logos. A missing logo is no error: the document is made without it.
#[async_trait]
pub trait LogoPictures: Send + Sync {
    /// The picture of a key, which never changes. `None` when there is none, or when it cannot be read: then
    /// the implementation logs a warning.
    async fn picture(&self, key: &LogoKey) -> Option<Arc<[u8]>>;
}

/// Renders invoices under their letterheads.
#[derive(Clone)]
pub struct InvoiceRenderer {
    /// Lays documents out.
    pub documents: Arc<dyn InvoiceDocuments>,
    /// Reads the pictures of logos.
    pub logos: Arc<dyn LogoPictures>,
    /// Makes the addresses of payment pages and logos.
    pub urls: PublicUrls,
}

impl InvoiceRenderer {
    /// What the document of an invoice shows: reads the logo of the letterhead. Never inside a transaction.
    pub async fn document(&self, letterhead: Letterhead, invoice: Invoice) -> InvoiceDocument {
        let (mut logo, mut logo_url) = (None, None);
        if let Some(key) = &letterhead.logo_key {
            let kind = key.kind();
            let bytes = self.logos.picture(key).await;
            logo = bytes.map(|bytes| Logo { bytes, kind });
            logo_url = Some(self.urls.logo(key));
        }
        InvoiceDocument {
            pay_url: self.urls.payment_page(invoice.pay_token.reveal()),
            letterhead: Letterhead { logo, logo_url, ..letterhead },
            invoice,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use kernel::{LogoKind, SystemRandom};

    use super::*;
    use crate::email_template::tests::acme::full;

    /// Renders every document as the name of its company.
    pub(crate) struct CompanyNames;

    #[async_trait]
    impl InvoiceDocuments for CompanyNames {
        async fn render(&self, document: InvoiceDocument) -> Result<Vec<u8>, DocumentError> {
            Ok(document.letterhead.company_name.into_bytes())
        }
    }

    /// Has the picture of one key.
    struct OnePicture(LogoKey);

    #[async_trait]
    impl LogoPictures for OnePicture {
        async fn picture(&self, key: &LogoKey) -> Option<Arc<[u8]>> {
            (*key == self.0).then(|| Arc::from(&b"picture"[..]))
        }
    }

    #[tokio::test]
    async fn document_has_the_logo_that_can_be_read() {
        let key = |kind| LogoKey::generate(kind, &SystemRandom::default()).unwrap();
        let (readable, missing) = (key(LogoKind::Jpeg), key(LogoKind::Png));
        let renderer = InvoiceRenderer {
            documents: Arc::new(CompanyNames),
            logos: Arc::new(OnePicture(readable.clone())),
            urls: PublicUrls::new("https://books.example.com"),
        };
        let shown = async |logo_key: Option<LogoKey>| {
            let letterhead = Letterhead { logo_key, ..Letterhead::default() };
            renderer.document(letterhead, full()).await.letterhead
        };
        let found = shown(Some(readable.clone())).await;
        assert_eq!(found.logo.map(|logo| logo.kind), Some(LogoKind::Jpeg));
        let url = format!("https://books.example.com/logos/{readable}");
        assert_eq!(found.logo_url, Some(url));
        let unreadable = shown(Some(missing)).await;
        assert_eq!((unreadable.logo, unreadable.logo_url.is_some()), (None, true));
        let none = shown(None).await;
        assert_eq!((none.logo, none.logo_url), (None, None));
    }
}
