//! The body of a list of invoices, written piece by piece.

use kernel::PublicUrls;
use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;
use std::vec;

use actix_web::body::{BodySize, MessageBody};
use actix_web::rt;
use actix_web::web::{Bytes, BytesMut};
use invoices::Invoice;
use thiserror::Error;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::view::InvoiceView;
use crate::answer::to_bytes;

/// The largest piece that is handed on at once.
const LARGEST_PIECE: usize = 64 * 1_024;
/// A page up to this size is handed on as a whole.
const LARGEST_WHOLE: usize = 256 * 1_024;

/// A page of invoices that becomes its JSON text bit by bit. Each invoice is let go as soon as it is written, so that the page is
/// never in memory a second time.
pub(super) struct Pieces {
    invoices: vec::IntoIter<Invoice>,
    urls: PublicUrls,
    ending: Option<Vec<u8>>,
    written: BytesMut,
}

impl Pieces {
    /// The page, with the cursor of the next one.
    pub(super) fn new(
        invoices: Vec<Invoice>,
        next_cursor: Option<&str>,
        urls: &PublicUrls,
    ) -> Self {
        let mut ending = b"],\"next_cursor\":".to_vec();
        ending.append(&mut to_bytes(&next_cursor));
        ending.extend_from_slice(b",\"has_more\":");
        ending.append(&mut to_bytes(&next_cursor.is_some()));
        ending.push(b'}');
        Self {
            invoices: invoices.into_iter(),
            urls: urls.clone(),
            ending: Some(ending),
            written: BytesMut::from("{\"data\":["),
        }
    }

    /// The whole text, unless it is a large one.
    pub(super) fn whole(mut self) -> Result<Bytes, Self> {
        self.write(LARGEST_WHOLE);
        if self.ending.is_none() {
            Ok(self.written.freeze())
        } else {
            Err(self)
        }
    }

    /// Writes on until there is more than `enough`, or all.
    fn write(&mut self, enough: usize) {
        while self.written.len() <= enough {
            if let Some(invoice) = self.invoices.next() {
                let view = InvoiceView::new(&invoice, &self.urls);
                self.written.extend_from_slice(&to_bytes(&view));
                if !self.invoices.as_slice().is_empty() {
                    self.written.extend_from_slice(b",");
                }
            } else if let Some(ending) = self.ending.take() {
                self.written.extend_from_slice(&ending);
            } else {
                break;
            }
        }
    }
}

impl Iterator for Pieces {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        self.write(LARGEST_PIECE);
        let length = self.written.len().min(LARGEST_PIECE);
        (length > 0).then(|| self.written.split_to(length).freeze())
    }
}

/// The body of a large page, which ends when the caller takes too long to read it: somebody who reads nothing at all would
/// otherwise hold the page in memory for good.
pub(super) struct LargePage {
    page: Rc<RefCell<Option<Held>>>,
    limit: JoinHandle<()>,
}

/// A page and its place among the large ones.
struct Held {
    pieces: Pieces,
    _place: OwnedSemaphorePermit,
}

/// Why a page breaks off.
#[derive(Debug, Error)]
#[error("the caller did not read the page in time")]
struct TooSlow;

impl LargePage {
    /// The body that sends a page, from a place that it has until then.
    pub(super) fn new(pieces: Pieces, place: OwnedSemaphorePermit, longest: Duration) -> Self {
        let page = Rc::new(RefCell::new(Some(Held {
            pieces,
            _place: place,
        })));
        let held = page.clone();
        // Nobody asks for the next piece while a caller does not read, so that the clock has to run elsewhere.
        let limit = rt::spawn(async move {
            sleep(longest).await;
            held.replace(None);
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

    fn poll_next(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Poll::Ready(match self.page.borrow_mut().as_mut() {
            Some(held) => held.pieces.next().map(Ok),
            None => Some(Err(TooSlow.into())),
        })
    }
}

#[cfg(test)]
mod tests;
