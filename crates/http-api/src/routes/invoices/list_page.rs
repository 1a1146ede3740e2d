//! The body of a list of invoices, written in chunks.

use std::cell::RefCell;
use std::mem;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;
use std::vec;

use actix_web::body::{BodySize, MessageBody};
use actix_web::rt;
use actix_web::web::Bytes;
use http_server::append_json;
use invoices::Invoice;
use kernel::PublicUrls;
use thiserror::Error;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::view::InvoiceView;
use crate::list_memory::LargePagePermit;

/// The maximum size of a chunk, in bytes.
const MAX_CHUNK: usize = 64 * 1_024;
/// Room for most invoices, in bytes, so that a page is not moved while it grows.
const USUAL_INVOICE: usize = 2_048;
/// A page up to this size, in bytes, is sent in one piece.
const MAX_SMALL_PAGE: usize = 256 * 1_024;

/// Writes a page of invoices as JSON, chunk by chunk. Each invoice is dropped as soon as it is written, so
/// that the whole page is not in memory both as records and as text.
pub(super) struct PageWriter {
    invoices: vec::IntoIter<Invoice>,
    urls: PublicUrls,
    ending: Option<Box<[u8]>>,
    written: Vec<u8>,
    /// What is left of the text that was written last, to be sent in chunks.
    unsent: Bytes,
}

impl PageWriter {
    /// A page with the cursor of the next one.
    pub(super) fn new(invoices: Vec<Invoice>, next_cursor: Option<&str>, urls: &PublicUrls) -> Self {
        let mut ending = b"],\"next_cursor\":".to_vec();
        append_json(&mut ending, &next_cursor);
        ending.extend_from_slice(b",\"has_more\":");
        append_json(&mut ending, &next_cursor.is_some());
        ending.push(b'}');
        let mut written =
            Vec::with_capacity(invoices.len().saturating_mul(USUAL_INVOICE).min(MAX_SMALL_PAGE));
        written.extend_from_slice(b"{\"data\":[");
        let (urls, unsent) = (urls.clone(), Bytes::new());
        Self { invoices: invoices.into_iter(), urls, ending: Some(ending.into()), written, unsent }
    }

    /// The text of the whole page, unless it is a large one.
    pub(super) fn write_small(mut self) -> Result<Bytes, Self> {
        self.write(MAX_SMALL_PAGE);
        if self.ending.is_none() { Ok(self.written.into()) } else { Err(self) }
    }

    /// Writes until the text is longer than `length`, or complete.
    fn write(&mut self, length: usize) {
        while self.written.len() <= length {
            if let Some(invoice) = self.invoices.next() {
                append_json(&mut self.written, &InvoiceView::new(&invoice, &self.urls));
                if !self.invoices.as_slice().is_empty() {
                    self.written.push(b',');
                }
            } else if let Some(ending) = self.ending.take() {
                self.written.extend_from_slice(&ending);
            } else {
                break;
            }
        }
    }
}

impl Iterator for PageWriter {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if self.unsent.is_empty() {
            self.write(MAX_CHUNK);
            self.unsent = mem::take(&mut self.written).into();
        }
        let length = self.unsent.len().min(MAX_CHUNK);
        (length > 0).then(|| self.unsent.split_to(length))
    }
}

/// The body of a large page. It fails when the client takes too long to read it: otherwise a client that
/// reads nothing would keep the page in memory for ever.
pub(super) struct LargePage {
    page: Rc<RefCell<Option<PermittedPage>>>,
    limit: JoinHandle<()>,
}

/// A page and its permit.
struct PermittedPage {
    writer: PageWriter,
    _permit: LargePagePermit,
}

#[derive(Debug, Error)]
#[error("the caller did not read the page in time")]
struct TooSlow;

impl LargePage {
    /// The body of a page; it holds the permit until it ends.
    pub(super) fn new(writer: PageWriter, permit: LargePagePermit, max_wait: Duration) -> Self {
        let page = Rc::new(RefCell::new(Some(PermittedPage { writer, _permit: permit })));
        let shared = page.clone();
        // The body is not polled while the client does not read, so a separate task measures the time.
        let limit = rt::spawn(async move {
            sleep(max_wait).await;
            shared.replace(None);
        });
        Self { page, limit }
    }
}

impl Drop for LargePage {
    fn drop(&mut self) {
        self.limit.abort();
    }
}

impl MessageBody for LargePage {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Poll::Ready(match self.page.borrow_mut().as_mut() {
            Some(page) => page.writer.next().map(Ok),
            None => Some(Err(TooSlow.into())),
        })
    }
}

#[cfg(test)]
mod tests;
