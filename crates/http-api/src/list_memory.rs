//! Limits the memory that invoice lists take in a process.
//!
//! An invoice can have hundreds of long lines, so a page of a hundred can take tens of megabytes. A list
//! request takes one permit for each invoice of its page size while the page is loaded and written, and waits
//! for the permits within the request's deadline. A page whose JSON is large also needs one of a few permits
//! until it is sent, and is refused at once if none is free: slow readers hold up only other large pages.

use std::sync::Arc;

use http_server::{ApiError, ErrorCode};
use kernel::PageSize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

/// How many invoices may be loaded at once: four of the largest pages.
const MAX_INVOICES: usize = 400;
/// How many large pages may be sent at once.
const MAX_LARGE_PAGES: usize = 8;

/// The limits of a process, shared by its serving threads.
#[derive(Debug)]
pub struct ListMemory {
    invoices: Semaphore,
    large_pages: Arc<Semaphore>,
}

impl Default for ListMemory {
    fn default() -> Self {
        Self {
            invoices: Semaphore::new(MAX_INVOICES),
            large_pages: Arc::new(Semaphore::new(MAX_LARGE_PAGES)),
        }
    }
}

impl ListMemory {
    /// Waits until a page of this size may be loaded.
    pub(crate) async fn reserve(&self, size: PageSize) -> Result<SemaphorePermit<'_>, ApiError> {
        let invoices = u32::try_from(size.get()).unwrap_or(u32::MAX);
        let permits = self.invoices.acquire_many(invoices).await;
        permits.map_err(ApiError::internal)
    }

    /// A permit to send a large page, if one is free.
    pub(crate) fn reserve_large_page(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        let permit = self.large_pages.clone().try_acquire_owned();
        permit.map_err(|_taken| {
            let advice =
                "too many large pages are being sent; try again, or ask for fewer invoices with `limit`";
            ApiError::new(ErrorCode::ServiceUnavailable, advice)
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
    async fn small_list_is_loaded_while_a_large_one_waits() {
        let memory = ListMemory::default();
        let mut taken = Vec::new();
        for _ in 0..3 {
            taken.push(memory.reserve(PageSize::MAX).await.unwrap());
        }
        for _ in 0..3 {
            taken.push(memory.reserve(PageSize::DEFAULT).await.unwrap());
        }
        let large = timeout(Duration::from_millis(20), memory.reserve(PageSize::MAX));
        assert!(large.await.is_err());
        assert!(memory.reserve(PageSize::DEFAULT).await.is_ok());
        taken.clear();
        assert!(memory.reserve(PageSize::MAX).await.is_ok());
    }

    #[test]
    fn large_page_without_a_permit_is_refused_at_once() {
        let memory = ListMemory::default();
        let permits: Vec<_> = (0..MAX_LARGE_PAGES).map(|_| memory.reserve_large_page().unwrap()).collect();
        let error = memory.reserve_large_page().unwrap_err();
        assert_eq!(error.status_code(), StatusCode::SERVICE_UNAVAILABLE);
        drop(permits);
        assert!(memory.reserve_large_page().is_ok());
    }
}
