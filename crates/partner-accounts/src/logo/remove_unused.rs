//! Removing the copies that no account names.

use std::sync::Arc;

use kernel::{Clock, StoreError};
use time::Duration;

use super::ports::{LogoRemovals, LogoStore, LogoStoreError};

/// How long a begun removal belongs to one worker; a failed one is tried again after this time.
const LEASE: Duration = Duration::minutes(5);

/// How many copies one round removes.
const AT_ONCE: u32 = 100;

/// Removes the copies whose removal is due, each at least once.
#[derive(Clone)]
pub struct LogoCleanup {
    pub removals: Arc<dyn LogoRemovals>,
    pub store: Arc<dyn LogoStore>,
    pub clock: Arc<dyn Clock>,
}

/// The result of one round.
#[derive(Debug, Default)]
pub struct RemovedLogos {
    pub removed: u32,
    /// Why others could not be removed; they are tried again.
    pub failed: Vec<LogoStoreError>,
}

impl LogoCleanup {
    /// Removes what is due, at most a hundred copies.
    ///
    /// # Errors
    /// A [`StoreError`] when the removals cannot be read or written; what was begun is tried again.
    pub async fn sweep(&self) -> Result<RemovedLogos, StoreError> {
        let now = self.clock.now();
        let due = self.removals.begin(now, now + LEASE, AT_ONCE).await?;
        let mut swept = RemovedLogos::default();
        for key in due {
            match self.store.remove(&key).await {
                Ok(()) => {
                    self.removals.done(&key).await?;
                    swept.removed = swept.removed.saturating_add(1);
                }
                Err(error) => swept.failed.push(error),
            }
        }
        Ok(swept)
    }
}
