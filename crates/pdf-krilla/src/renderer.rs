//! Rendering an invoice: layout, then PDF.

use std::sync::Arc;

use async_trait::async_trait;
use invoices::{DocumentError, Invoice, InvoiceDocument, InvoiceDocuments, Letterhead};
use krilla::error::KrillaError;
use krilla::image::Image;
use krilla::metadata::{DateTime, Metadata};

use crate::color::Brand;
use crate::context::DocumentContext;
use crate::layout;
use crate::logo;
use crate::paint::Painter;
use crate::render_threads::{Priority, RenderThreads};
use crate::typesetter::Typesetter;

/// Lays invoices out on threads of its own. Make one and share it: it has read the typeface.
pub struct KrillaDocuments {
    renderer: Arc<PdfRenderer>,
    threads: RenderThreads,
}

/// Lays invoices out with krilla, on the calling thread.
pub struct PdfRenderer {
    set: Typesetter,
}

impl KrillaDocuments {
    /// Reads the built-in typeface and starts the threads.
    ///
    /// # Errors
    /// [`DocumentError`] when no thread can be started.
    pub fn new(priority: Priority) -> Result<Self, DocumentError> {
        let threads = RenderThreads::start(priority);
        Ok(Self {
            renderer: Arc::new(PdfRenderer::new()?),
            threads: threads.map_err(|error| DocumentError(error.into()))?,
        })
    }
}

#[async_trait]
impl InvoiceDocuments for KrillaDocuments {
    async fn render(&self, document: InvoiceDocument) -> Result<Vec<u8>, DocumentError> {
        let renderer = self.renderer.clone();
        let rendered = self
            .threads
            .run(move || renderer.render(&document.letterhead, &document.invoice, &document.pay_url));
        rendered.await.map_err(|error| DocumentError(error.into()))?
    }
}

impl PdfRenderer {
    /// Reads the built-in typeface.
    ///
    /// # Errors
    /// [`DocumentError`] when it cannot be read, which a build that passed its tests does not do.
    pub fn new() -> Result<Self, DocumentError> {
        let set = Typesetter::new()?;
        Ok(Self { set })
    }

    /// The invoice as a PDF. `pay_url` is the address of its payment page.
    ///
    /// # Errors
    /// [`DocumentError`] when the document cannot be made at all.
    pub fn render(
        &self,
        letterhead: &Letterhead,
        invoice: &Invoice,
        pay_url: &str,
    ) -> Result<Vec<u8>, DocumentError> {
        let logo = letterhead.logo.as_ref().and_then(logo::read);
        let written = self.write(letterhead, invoice, pay_url, logo.as_ref());
        let written = match written {
            // The logo's head was fine and its pixels are not.
            Err(KrillaError::Image(..) | KrillaError::SixteenBitImage(..)) => {
                self.write(letterhead, invoice, pay_url, None)
            }
            other => other,
        };
        written.map_err(|error| DocumentError(Box::new(error)))
    }

    fn write(
        &self,
        letterhead: &Letterhead,
        invoice: &Invoice,
        pay_url: &str,
        logo: Option<&(Image, (f32, f32))>,
    ) -> Result<Vec<u8>, KrillaError> {
        let context = DocumentContext {
            typesetter: &self.set,
            letterhead,
            invoice,
            pay_url,
            brand: Brand::of(letterhead.brand_color.as_deref()),
            logo: logo.map(|(_, size)| *size),
        };
        let painter =
            Painter { set: &self.set, logo: logo.map(|(image, _)| image), pay_url, status: invoice.status };
        painter.document(&layout::pages(&context), about(letterhead, invoice))
    }
}

/// What a reader's program shows of the file. Its date is the invoice's own, so that the bytes do not depend
/// on the hour.
fn about(letterhead: &Letterhead, invoice: &Invoice) -> Metadata {
    let changed = invoice.updated_at;
    let year = u16::try_from(changed.year()).unwrap_or(0);
    let date = DateTime::new(year)
        .month(u8::from(changed.month()))
        .day(changed.day())
        .hour(changed.hour())
        .minute(changed.minute())
        .second(changed.second())
        .utc_offset_hour(0)
        .utc_offset_minute(0);
    Metadata::new()
        .title(format!("Invoice {}", invoice.number))
        .authors(vec![plain(&letterhead.company_name)])
        .creator("Countinghouse".to_owned())
        .language("en".to_owned())
        .creation_date(date)
}

fn plain(text: &str) -> String {
    text.replace(char::is_control, " ")
}
