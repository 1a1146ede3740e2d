//! Fetching a logo and storing a copy of it.

use std::sync::Arc;

use kernel::errors::Source;
use kernel::{Clock, HttpsUrl, LogoKey, SecureRandom, StoreError};
use time::Duration;

use super::image::Logo;
use super::ports::{LogoRemovals, LogoSource, LogoStore, LogoStoreError};

/// How long a copy is kept before an account refers to it: far longer than a request takes.
const UNUSED_FOR: Duration = Duration::hours(1);

/// Fetches logos from the addresses that partners send.
#[derive(Clone)]
pub struct Logos {
    pub source: Arc<dyn LogoSource>,
    pub store: Arc<dyn LogoStore>,
    /// Schedules the removal of copies.
    pub removals: Arc<dyn LogoRemovals>,
}

/// Why a valid logo was not stored.
#[derive(Debug, thiserror::Error)]
pub enum LogoUnavailable {
    /// The store of copies failed.
    #[error(transparent)]
    Copies(#[from] LogoStoreError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The copy became due for removal before an account referred to it.
    #[error("the copy of the logo was not used within an hour")]
    TooLate,
}

impl Logos {
    /// Downloads and checks a file. Never called inside a transaction.
    ///
    /// # Errors
    /// A [`LogoFetchError`](super::LogoFetchError) or an [`InvalidLogo`](super::InvalidLogo), for display to
    /// the caller.
    pub(crate) async fn fetch(&self, url: &HttpsUrl) -> Result<Logo, Source> {
        Ok(Logo::check(self.source.fetch(url).await?)?)
    }

    /// Stores a copy, which is removed after an hour unless a transaction adopts it. Never called inside a
    /// transaction.
    pub(crate) async fn store_copy(
        &self,
        logo: Logo,
        clock: &dyn Clock,
        random: &dyn SecureRandom,
    ) -> Result<LogoKey, LogoUnavailable> {
        let key = LogoKey::generate(logo.kind(), random);
        self.removals.schedule(&key, clock.now().saturating_add(UNUSED_FOR)).await?;
        self.store.put(&key, logo.into_bytes()).await?;
        Ok(key)
    }
}
