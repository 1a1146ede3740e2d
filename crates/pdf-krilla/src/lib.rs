//! Invoices and receipts as PDF, laid out in process.
//!
//! `layout` turns the parts of an invoice into blocks and lets them flow over A4 pages; `paint` writes the
//! pages as PDF with krilla. The typeface is Inter, built in (SIL Open Font License, see `assets/`); the PDF
//! embeds the glyphs it uses. The same invoice gives the same bytes: nothing here reads the clock or random
//! numbers.
//!
//! Known limits: text runs from left to right and in one typeface. Scripts that Inter lacks (Hebrew, Arabic,
//! Chinese, Japanese, emoji) appear as boxes; copied text has the right characters. A logo is decoded for
//! every document: decoding millions of pixels takes longer than everything else.
//!
//! ```
//! use invoices::{DocumentError, InvoiceDocument, InvoiceDocuments};
//! use pdf_krilla::{KrillaDocuments, RenderPriority};
//!
//! async fn pdf(documents: &KrillaDocuments, document: InvoiceDocument) -> Result<Vec<u8>, DocumentError> {
//!     documents.render(document).await
//! }
//!
//! // Once: it reads the typeface and starts its threads.
//! let documents = KrillaDocuments::new(RenderPriority::Request)?;
//! # Ok::<(), DocumentError>(())
//! ```

mod color;
mod context;
mod flow;
mod header;
mod layout;
mod line_table;
mod paint;
mod receipt;
mod render_threads;
mod renderer;
mod run;
mod sheet;
mod totals;
mod transfer;
mod typeface;
mod typesetter;
mod wording;

#[cfg(test)]
#[path = "../tests/sample/mod.rs"]
mod sample;

pub use render_threads::RenderPriority;
pub use renderer::{KrillaDocuments, PdfRenderer};
