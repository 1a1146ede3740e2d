//! Fetching a logo and storing a copy of it.

use std::sync::Arc;

use kernel::random::RandomnessUnavailable;
use kernel::{Clock, HttpsUrl, LogoKey, SecureRandom, StoreError};
use time::Duration;

use super::image::Logo;
use super::invalid_logo::InvalidLogo;
use super::ports::{LogoFetchError, LogoRemovals, LogoSource, LogoStore, LogoStoreError};

/// How long a copy is stored before an account names it: far longer than a request takes.
const UNUSED_FOR: Duration = Duration::hours(1);

/// Fetches logos from the addresses that partners send.
#[derive(Clone)]
pub struct Logos {
    pub source: Arc<dyn LogoSource>,
    pub store: Arc<dyn LogoStore>,
    /// Schedules the removal of copies.
    pub removals: Arc<dyn LogoRemovals>,
}

/// Why there is no logo at an address.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unfit {
    /// It cannot be downloaded.
    #[error(transparent)]
    LogoFetchError(#[from] LogoFetchError),
    /// The file is not accepted.
    #[error(transparent)]
    InvalidLogo(#[from] InvalidLogo),
}

/// Why a valid logo is not stored.
#[derive(Debug, thiserror::Error)]
pub enum LogoUnavailable {
    /// The copies cannot be reached.
    #[error(transparent)]
    Copies(#[from] LogoStoreError),
    #[error(transparent)]
    SecureRandom(#[from] RandomnessUnavailable),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The copy was due for removal before an account named it.
    #[error("the copy of the logo was not used within an hour")]
    TooLate,
}

impl Logos {
    /// Downloads and checks a file. Never inside a transaction.
    pub(crate) async fn fetch(&self, url: &HttpsUrl) -> Result<Logo, Unfit> {
        let bytes = self.source.fetch(url).await?;
        Ok(Logo::check(bytes)?)
    }

    /// Stores a copy, which is removed after an hour unless a transaction adopts it. Never inside a
    /// transaction.
    pub(crate) async fn keep(
        &self,
        logo: Logo,
        clock: &dyn Clock,
        random: &dyn SecureRandom,
    ) -> Result<LogoKey, LogoUnavailable> {
        let key = LogoKey::generate(logo.kind(), random)?;
        let removal = clock.now() + UNUSED_FOR;
        self.removals.note(&key, removal).await?;
        self.store.put(&key, logo.into_bytes()).await?;
        Ok(key)
    }
}
