//! How much of invoice lists a process holds in memory at a time.
//!
//! An invoice can have hundreds of long lines, so that a page of a hundred can take tens of megabytes. A list takes room for as
//! many invoices as it asks for while its page is put together, and waits for that room under the request's deadline. A page
//! that is still large when it is there takes one of a few places until it is sent. It does not wait for one: a caller that
//! reads its pages slowly is in the way of other large pages and of nothing else.

use std::sync::Arc;

use kernel::PageSize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

use crate::error::{ApiError, Code};

/// How many invoices may be on their way from the store: four of the largest pages, or many small ones.
const INVOICES: usize = 400;
/// How many large pages may be on their way to callers.
const LARGE_PAGES: usize = 8;

/// The room that a process has for lists of invoices. Its worker threads share it.
#[derive(Debug)]
pub(crate) struct ListRoom {
    invoices: Semaphore,
    large_pages: Arc<Semaphore>,
}

impl Default for ListRoom {
    fn default() -> Self {
        Self {
            invoices: Semaphore::new(INVOICES),
            large_pages: Arc::new(Semaphore::new(LARGE_PAGES)),
        }
    }
}

impl ListRoom {
    /// Waits for the room to put a page together.
    pub(super) async fn for_page(&self, size: PageSize) -> Result<SemaphorePermit<'_>, ApiError> {
        let invoices = u32::try_from(size.get()).unwrap_or(u32::MAX);
        let room = self.invoices.acquire_many(invoices).await;
        room.map_err(|closed| ApiError::failed(Code::InternalError, closed))
    }

    /// A place to send a large page from, if one is free.
    pub(super) fn for_large_page(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        let place = self.large_pages.clone().try_acquire_owned();
        place.map_err(|_taken| {
            let advice = "too many large pages are being sent; try again, or ask for fewer invoices with `limit`";
            ApiError::new(Code::ServiceUnavailable, advice)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use actix_web::ResponseError as _;
    use actix_web::http::StatusCode;
    use tokio::time::timeout;

    use super::*;

    #[actix_web::test]
    async fn small_lists_pass_where_large_ones_wait() {
        let room = ListRoom::default();
        let mut taken = Vec::new();
        for _ in 0..3 {
            taken.push(room.for_page(PageSize::LARGEST).await.unwrap());
        }
        for _ in 0..3 {
            taken.push(room.for_page(PageSize::DEFAULT).await.unwrap());
        }
        let large = timeout(Duration::from_millis(20), room.for_page(PageSize::LARGEST));
        assert!(large.await.is_err());
        assert!(room.for_page(PageSize::DEFAULT).await.is_ok());
        taken.clear();
        assert!(room.for_page(PageSize::LARGEST).await.is_ok());
    }

    #[test]
    fn a_large_page_without_a_place_is_refused_at_once() {
        let room = ListRoom::default();
        let places: Vec<_> = (0..LARGE_PAGES)
            .map(|_| room.for_large_page().unwrap())
            .collect();
        let refusal = room.for_large_page().unwrap_err();
        assert_eq!(refusal.status_code(), StatusCode::SERVICE_UNAVAILABLE);
        drop(places);
        assert!(room.for_large_page().is_ok());
    }
}
