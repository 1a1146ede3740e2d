//! Invoices as PDF, laid out in process.
//!
//! The way of an invoice: `layout` turns its parts into blocks of marks and lets them flow over pages of A4; `paint` writes the
//! marks as PDF through krilla. The typeface is Inter, built in (SIL Open Font License, beside it in `assets/`); the PDF embeds the letters
//! that it uses. The same invoice gives the same bytes: nothing here asks for the time or for random.
//!
//! Known limits: text runs from left to right and in one typeface, so that scripts which Inter lacks (Hebrew, Arabic, Chinese, Japanese,
//! emoji) show as boxes; a copy of the text has the right characters. A logo is decoded for every document: one of
//! millions of pixels costs more time than all the rest.
//!
//! ```
//! use invoices::{DocumentError, Invoice, InvoiceDocuments, Letterhead};
//! use pdf_krilla::KrillaDocuments;
//!
//! fn attachment(documents: &KrillaDocuments, from: &Letterhead, invoice: &Invoice) -> Result<Vec<u8>, DocumentError> {
//!     documents.render(from, invoice, "https://pay.example/token")
//! }
//!
//! let documents = KrillaDocuments::new()?; // once: it reads the typeface
//! # Ok::<(), DocumentError>(())
//! ```

mod block;
mod closing;
mod columns;
mod flow;
mod geometry;
mod ink;
mod layout;
mod line_table;
mod logo;
mod mark;
mod masthead;
mod notes;
mod page_furniture;
mod paint;
mod pay_online;
mod payments;
mod recipient;
mod run;
mod stamp;
mod tax_summary;
mod typeface;
mod typesetter;
mod wording;

#[cfg(test)]
#[path = "../tests/sample/mod.rs"]
mod sample;

use invoices::{DocumentError, Invoice, InvoiceDocuments, Letterhead};
use krilla::error::KrillaError;
use krilla::image::Image;
use krilla::metadata::{DateTime, Metadata};

use crate::ink::Brand;
use crate::layout::Matter;
use crate::paint::Painter;
use crate::typesetter::Typesetter;

/// Lays invoices out with krilla. Make one and share it: it has read the typeface.
pub struct KrillaDocuments {
    set: Typesetter,
}

impl KrillaDocuments {
    /// Reads the built-in typeface.
    ///
    /// # Errors
    /// [`DocumentError`] when it cannot be read, which a build that passed its tests does not do.
    pub fn new() -> Result<Self, DocumentError> {
        let set = Typesetter::new()?;
        Ok(Self { set })
    }

    fn write(
        &self,
        letterhead: &Letterhead,
        invoice: &Invoice,
        pay_url: &str,
        logo: Option<&(Image, (f32, f32))>,
    ) -> Result<Vec<u8>, KrillaError> {
        let matter = Matter {
            set: &self.set,
            letterhead,
            invoice,
            pay_url,
            brand: Brand::of(letterhead.brand_color.as_deref()),
            logo: logo.map(|(_, size)| *size),
        };
        let painter = Painter {
            set: &self.set,
            logo: logo.map(|(image, _)| image),
            pay_url,
            status: invoice.status,
        };
        painter.document(&layout::pages(&matter), about(letterhead, invoice))
    }
}

impl InvoiceDocuments for KrillaDocuments {
    fn render(
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
}

/// What a reader's program shows of the file. Its date is the invoice's own, so that the bytes do not depend on the hour.
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
