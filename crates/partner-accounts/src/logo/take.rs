//! Taking a logo: from an address to a copy of our own.

use std::sync::Arc;

use kernel::random::RandomnessUnavailable;
use kernel::{Clock, HttpsUrl, LogoKey, SecureRandom, StoreError};
use time::Duration;

use super::image::Logo;
use super::invalid_logo::InvalidLogo;
use super::ports::{LogoFetchError, LogoRemovals, LogoSource, LogoStore, LogoStoreError};

/// How long a copy waits for its account: far longer than a request can take.
const WAITS_FOR_ITS_ACCOUNT: Duration = Duration::hours(1);

/// Takes logos from where partners say they are.
#[derive(Clone)]
pub struct Logos {
    /// Downloads them.
    pub source: Arc<dyn LogoSource>,
    /// Keeps the copies.
    pub store: Arc<dyn LogoStore>,
    /// Knows which copies are to be removed.
    pub ledger: Arc<dyn LogoRemovals>,
}

/// Why there is no logo at an address.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unfit {
    /// It cannot be downloaded.
    #[error(transparent)]
    LogoFetchError(#[from] LogoFetchError),
    /// It is none.
    #[error(transparent)]
    InvalidLogo(#[from] InvalidLogo),
}

/// Why a logo that is right cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum LogoUnavailable {
    /// The copies cannot be reached.
    #[error(transparent)]
    Copies(#[from] LogoStoreError),
    /// The machine has no random.
    #[error(transparent)]
    SecureRandom(#[from] RandomnessUnavailable),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The copy's time was over before an account had its name.
    #[error("the copy of the logo was not used within an hour")]
    TooLate,
}

impl Logos {
    /// Downloads what is at an address and looks at it. Never inside a transaction.
    pub(crate) async fn fetch(&self, url: &HttpsUrl) -> Result<Logo, Unfit> {
        let bytes = self.source.fetch(url).await?;
        Ok(Logo::check(bytes)?)
    }

    /// Keeps a copy, which is removed again in an hour unless a transaction adopts it. Never inside one.
    pub(crate) async fn keep(
        &self,
        logo: Logo,
        clock: &dyn Clock,
        random: &dyn SecureRandom,
    ) -> Result<LogoKey, LogoUnavailable> {
        let key = LogoKey::generate(logo.kind(), random)?;
        let removal = clock.now() + WAITS_FOR_ITS_ACCOUNT;
        self.ledger.note(&key, removal).await?;
        self.store.put(&key, logo.into_bytes()).await?;
        Ok(key)
    }
}
