//! Rendering an invoice or a receipt: layout, then PDF.

use std::sync::Arc;

use async_trait::async_trait;
use invoices::{
    DocumentError, Invoice, InvoiceDocument, InvoiceDocuments, Letterhead, LetterheadLogo, LogoKind,
    ReceiptDocument, WayToPay,
};
use krilla::error::KrillaError;
use krilla::image::Image;
use krilla::metadata::{DateTime, Metadata};

use crate::color::BrandColors;
use crate::context::DocumentContext;
use crate::flow::PageElements;
use crate::layout;
use crate::paint::Painter;
use crate::receipt;
use crate::render_threads::{RenderPriority, RenderThreads};
use crate::typesetter::Typesetter;

/// Lays out invoices on its own threads. Create one and share it, since it parses the typeface.
pub struct KrillaDocuments {
    renderer: Arc<PdfRenderer>,
    threads: RenderThreads,
}

/// Lays out invoices with krilla, on the calling thread.
pub struct PdfRenderer {
    set: Typesetter,
}

impl KrillaDocuments {
    /// Parses the built-in typeface and starts the threads.
    ///
    /// # Errors
    /// [`DocumentError`] when no thread can be started.
    pub fn new(priority: RenderPriority) -> Result<Self, DocumentError> {
        let threads = RenderThreads::start(priority).map_err(|error| DocumentError(error.into()))?;
        Ok(Self { renderer: Arc::new(PdfRenderer::new()?), threads })
    }
}

#[async_trait]
impl InvoiceDocuments for KrillaDocuments {
    async fn render(&self, document: InvoiceDocument) -> Result<Vec<u8>, DocumentError> {
        let (renderer, account) = (self.renderer.clone(), document.invoice.account);
        let render = move || renderer.render(&document);
        self.threads.run(account, render).await.map_err(|error| DocumentError(error.into()))?
    }

    async fn receipt(&self, document: ReceiptDocument) -> Result<Vec<u8>, DocumentError> {
        let (renderer, account) = (self.renderer.clone(), document.invoice.account);
        let render = move || renderer.receipt(&document);
        self.threads.run(account, render).await.map_err(|error| DocumentError(error.into()))?
    }
}

impl PdfRenderer {
    /// Parses the built-in typeface.
    ///
    /// # Errors
    /// [`DocumentError`] when it cannot be parsed, which does not happen in a build that passed its tests.
    pub fn new() -> Result<Self, DocumentError> {
        Ok(Self { set: Typesetter::new()? })
    }

    /// Renders the invoice as a PDF.
    ///
    /// # Errors
    /// [`DocumentError`] when the document cannot be rendered.
    pub fn render(&self, document: &InvoiceDocument) -> Result<Vec<u8>, DocumentError> {
        let title = format!("Invoice {}", document.invoice.number);
        let context = DocumentContext {
            pay_url: &document.pay_url,
            bank_transfer: document.bank_transfer.as_ref(),
            way_to_pay: document.way_to_pay,
            ..self.context(&document.letterhead, &document.invoice)
        };
        Self::render_document(context, &title, layout::pages)
    }

    /// Renders the receipt of a payment as a PDF.
    ///
    /// # Errors
    /// As [`PdfRenderer::render`].
    pub fn receipt(&self, document: &ReceiptDocument) -> Result<Vec<u8>, DocumentError> {
        let title = format!("Receipt for invoice {}", document.invoice.number);
        let context = self.context(&document.letterhead, &document.invoice);
        let context = DocumentContext { has_watermark: false, ..context };
        let received_on = document.time_zone.date_at(document.payment.received_at);
        let refunded = document.refunded;
        Self::render_document(context, &title, |context| {
            receipt::pages(context, &document.payment, refunded, received_on)
        })
    }

    fn context<'a>(&'a self, letterhead: &'a Letterhead, invoice: &'a Invoice) -> DocumentContext<'a> {
        DocumentContext {
            typesetter: &self.set,
            letterhead,
            invoice,
            pay_url: "",
            bank_transfer: None,
            way_to_pay: WayToPay::None,
            brand: BrandColors::of(letterhead.brand_color.as_deref()),
            logo: None,
            has_watermark: true,
        }
    }

    fn render_document(
        context: DocumentContext<'_>,
        title: &str,
        layout: impl Fn(&DocumentContext<'_>) -> Vec<PageElements>,
    ) -> Result<Vec<u8>, DocumentError> {
        let (logo, size) = context.letterhead.logo.as_ref().and_then(read_logo).unzip();
        let warn_left_out = || {
            let account = context.invoice.account;
            tracing::warn!(%account, "a logo cannot be shown and is left out of a document");
        };
        if logo.is_none() && context.letterhead.logo.is_some() {
            warn_left_out();
        }
        let context = DocumentContext { logo: size, ..context };
        let write = |context: &DocumentContext<'_>, logo: Option<&Image>| {
            let about = about(title, context.letterhead, context.invoice);
            Painter { context, logo }.document(&layout(context), about)
        };
        let written = match write(&context, logo.as_ref()) {
            // The logo's header is valid, but its pixels are not.
            Err(KrillaError::Image(..) | KrillaError::SixteenBitImage(..)) => {
                warn_left_out();
                write(&DocumentContext { logo: None, ..context }, None)
            }
            written => written,
        };
        written.map_err(|error| DocumentError(Box::new(error)))
    }
}

/// The metadata that PDF viewers show. The date is the invoice's own, so that the bytes do not depend on the
/// time of rendering.
fn about(title: &str, letterhead: &Letterhead, invoice: &Invoice) -> Metadata {
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
        .title(title.to_owned())
        .authors(vec![letterhead.company_name.replace(char::is_control, " ")])
        .creator("Countinghouse".to_owned())
        .language("en".to_owned())
        .creation_date(date)
}

/// The maximum number of pixels of a logo. A file of a few kilobytes can declare gigabytes of them.
const MAX_PIXELS: u32 = 8_000_000;
/// The marker that ends a JPEG file (ISO/IEC 10918-1, table B.1).
const END_OF_JPEG: [u8; 2] = [0xFF, 0xD9];

/// The logo with its width and height; `None` when it cannot be read.
///
/// The pixels are decoded while the document is written, so this detects only faults in the file's header.
fn read_logo(logo: &LetterheadLogo) -> Option<(Image, (f32, f32))> {
    let data = logo.bytes.to_vec();
    let image = match logo.kind {
        LogoKind::Png => Image::from_png(data.into(), true),
        // The pixels of a JPEG are embedded without decoding, so a truncated file must be detected here.
        LogoKind::Jpeg if is_whole_jpeg(&logo.bytes) => Image::from_jpeg(data.into(), true),
        LogoKind::Jpeg => return None,
    };
    let image = image.ok()?;
    let (width, height) = image.size();
    let pixels = width.checked_mul(height)?;
    if pixels == 0 || pixels > MAX_PIXELS {
        return None;
    }
    let side = |side| u16::try_from(side).ok().map(f32::from);
    let size = (side(width)?, side(height)?);
    Some((image, size))
}

fn is_whole_jpeg(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|pair| pair == END_OF_JPEG)
}
