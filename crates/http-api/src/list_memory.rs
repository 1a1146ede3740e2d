//! Limits the memory that invoice lists take in a process, and how much of it one account can take.
//!
//! An invoice can have hundreds of long lines, so a page of a hundred can take a hundred megabytes. A list
//! request takes one permit of its account and one of the process for each invoice of its page size while
//! the page is loaded and written, and waits for them within the request's deadline. A page whose JSON is
//! large keeps those of its account until it is sent. It also needs one of its account's few permits for
//! large pages and one of the process's, and is refused if either is taken. So slow readers delay lists of
//! their own account, and of other accounts they keep at most large pages from being sent.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use http_server::{ApiError, ErrorCode};
use kernel::{AccountId, PageSize};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many invoices may be loaded at once: four of the largest pages.
const MAX_INVOICES: usize = 400;
/// How many of them may be one account's, together with those of its large pages that are being sent.
const MAX_INVOICES_OF_ACCOUNT: usize = 200;
/// How many large pages may be sent at once.
const MAX_LARGE_PAGES: usize = 8;
/// How many of them may be one account's.
const MAX_LARGE_PAGES_OF_ACCOUNT: usize = 3;

/// The limits of a process, shared by its serving threads.
#[derive(Debug)]
pub struct ListMemory {
    all: Permits,
    /// The permits of the accounts that hold some or wait for some.
    accounts: Mutex<HashMap<AccountId, Weak<Permits>>>,
}

#[derive(Debug)]
struct Permits {
    invoices: Arc<Semaphore>,
    large_pages: Arc<Semaphore>,
}

impl Permits {
    fn new(invoices: usize, large_pages: usize) -> Self {
        Self {
            invoices: Arc::new(Semaphore::new(invoices)),
            large_pages: Arc::new(Semaphore::new(large_pages)),
        }
    }
}

impl Default for ListMemory {
    fn default() -> Self {
        Self { all: Permits::new(MAX_INVOICES, MAX_LARGE_PAGES), accounts: Mutex::default() }
    }
}

/// The right to load and write one page.
#[derive(Debug)]
pub(crate) struct PagePermit {
    of_account: Arc<Permits>,
    large_pages: Arc<Semaphore>,
    own_invoices: OwnedSemaphorePermit,
    invoices: OwnedSemaphorePermit,
}

/// The right to send one large page.
#[derive(Debug)]
pub(crate) struct LargePagePermit {
    _of_account: Arc<Permits>,
    _held: [OwnedSemaphorePermit; 3],
}

impl ListMemory {
    /// Waits until a page of this size may be loaded for an account.
    pub(crate) async fn reserve(&self, account: AccountId, size: PageSize) -> Result<PagePermit, ApiError> {
        let invoices = u32::try_from(size.get()).unwrap_or(u32::MAX);
        let of_account = self.of_account(account);
        // The account's own first: while it waits for these, it takes no place in the queue of all.
        let own = of_account.invoices.clone().acquire_many_owned(invoices).await;
        let own_invoices = own.map_err(ApiError::internal)?;
        let of_all = self.all.invoices.clone().acquire_many_owned(invoices).await;
        Ok(PagePermit {
            of_account,
            large_pages: self.all.large_pages.clone(),
            own_invoices,
            invoices: of_all.map_err(ApiError::internal)?,
        })
    }

    fn of_account(&self, account: AccountId) -> Arc<Permits> {
        // No change to the map panics half way.
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(permits) = accounts.get(&account).and_then(Weak::upgrade) {
            return permits;
        }
        accounts.retain(|_, permits| permits.strong_count() > 0);
        let permits = Arc::new(Permits::new(MAX_INVOICES_OF_ACCOUNT, MAX_LARGE_PAGES_OF_ACCOUNT));
        accounts.insert(account, Arc::downgrade(&permits));
        permits
    }

    /// How many large pages could be sent now.
    #[cfg(test)]
    pub(crate) fn free_large_pages(&self) -> usize {
        self.all.large_pages.available_permits()
    }
}

impl PagePermit {
    /// Gives back the permits of the invoices that the page could have had, but has not.
    pub(crate) fn keep(&mut self, invoices: usize) {
        for permit in [&mut self.own_invoices, &mut self.invoices] {
            drop(permit.split(permit.num_permits().saturating_sub(invoices)));
        }
    }

    /// The right to send the page, which is large.
    ///
    /// # Errors
    /// [`ErrorCode::ServiceUnavailable`] if the account, or all together, send too many.
    pub(crate) fn for_large_page(self) -> Result<LargePagePermit, ApiError> {
        let free = |permits: &Arc<Semaphore>| {
            permits.clone().try_acquire_owned().map_err(|_taken| {
                let advice =
                    "too many large pages are being sent; try again, or ask for fewer invoices with `limit`";
                ApiError::new(ErrorCode::ServiceUnavailable, advice)
            })
        };
        let held = [free(&self.of_account.large_pages)?, free(&self.large_pages)?, self.own_invoices];
        Ok(LargePagePermit { _of_account: self.of_account, _held: held })
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use actix_web::ResponseError as _;
    use actix_web::http::StatusCode;
    use futures_util::{FutureExt as _, poll};
    use kernel::Id;
    use testkit::CountingIds;
    use time::OffsetDateTime;

    use super::*;

    /// Fresh accounts.
    fn accounts() -> impl Iterator<Item = AccountId> {
        let ids = CountingIds::default();
        std::iter::repeat_with(move || Id::new(&ids, OffsetDateTime::UNIX_EPOCH))
    }

    #[actix_web::test]
    async fn account_waits_for_its_own_pages_and_no_other_account_does() {
        let (memory, mut accounts) = (ListMemory::default(), accounts());
        let (greedy, other) = (accounts.next().unwrap(), accounts.next().unwrap());
        let mut held = Vec::new();
        for _ in 0..2 {
            let page = memory.reserve(greedy, PageSize::MAX).await.unwrap();
            held.push(page.for_large_page().unwrap());
        }
        let mut third = pin!(memory.reserve(greedy, PageSize::DEFAULT));
        assert!(poll!(&mut third).is_pending());
        memory.reserve(other, PageSize::MAX).await.unwrap().for_large_page().unwrap();
        held.pop();
        assert!(third.await.is_ok());
    }

    #[actix_web::test]
    async fn loading_is_limited_for_all_accounts_together() {
        let (memory, mut accounts) = (ListMemory::default(), accounts());
        let mut loading = Vec::new();
        for account in accounts.by_ref().take(MAX_INVOICES / 100) {
            loading.push(memory.reserve(account, PageSize::MAX).await.unwrap());
        }
        let mut further = pin!(memory.reserve(accounts.next().unwrap(), PageSize::DEFAULT));
        assert!(poll!(&mut further).is_pending());
        // A page that is sent is not being loaded any more.
        let sent = loading.pop().unwrap().for_large_page().unwrap();
        assert!(further.await.is_ok());
        drop(sent);
        assert_eq!(memory.free_large_pages(), MAX_LARGE_PAGES);
    }

    #[actix_web::test]
    async fn page_keeps_permits_for_the_invoices_that_it_has() {
        let (memory, account) = (ListMemory::default(), accounts().next().unwrap());
        assert!(PageSize::MAX.get() <= MAX_INVOICES_OF_ACCOUNT, "a larger page would wait without an end");
        let mut held = Vec::new();
        for _ in 0..MAX_LARGE_PAGES_OF_ACCOUNT {
            let mut page = memory.reserve(account, PageSize::MAX).now_or_never().unwrap().unwrap();
            page.keep(3);
            page.keep(100);
            assert_eq!(memory.all.invoices.available_permits(), MAX_INVOICES - 3);
            held.push(page.for_large_page().unwrap());
        }
        let mut empty = memory.reserve(account, PageSize::MAX).now_or_never().unwrap().unwrap();
        empty.keep(0);
        assert_eq!(memory.all.invoices.available_permits(), MAX_INVOICES);
    }

    #[actix_web::test]
    async fn large_page_is_refused_when_its_account_or_all_send_too_many() {
        let (memory, mut accounts) = (ListMemory::default(), accounts());
        let one = PageSize::of(1).unwrap();
        let refused = async |account| {
            let refused = memory.reserve(account, one).await.unwrap().for_large_page().unwrap_err();
            assert_eq!(refused.status_code(), StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(memory.all.invoices.available_permits(), MAX_INVOICES);
        };
        let mut sending = Vec::new();
        while memory.free_large_pages() > 0 {
            let account = accounts.next().unwrap();
            for _ in 0..MAX_LARGE_PAGES_OF_ACCOUNT.min(memory.free_large_pages()) {
                let page = memory.reserve(account, one).await.unwrap();
                sending.push(page.for_large_page().unwrap());
            }
            refused(account).await;
        }
        refused(accounts.next().unwrap()).await;
        drop(sending);
        memory.reserve(accounts.next().unwrap(), one).await.unwrap().for_large_page().unwrap();
        assert_eq!(memory.accounts.lock().unwrap().len(), 1, "those that hold nothing are forgotten");
    }
}
