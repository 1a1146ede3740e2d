//! Removing the copies that no account refers to.

use std::sync::Arc;

use kernel::{Clock, StoreResult};
use time::Duration;

use super::ports::{LogoRemovals, LogoStore, LogoStoreError};

/// How long a begun removal is reserved for one worker; a failed removal is retried after this time.
const LEASE: Duration = Duration::minutes(5);

/// How many removals are begun at a time.
const AT_ONCE: u32 = 20;

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
    /// Why other copies could not be removed; they are retried.
    pub failed: Vec<LogoStoreError>,
    /// Whether further copies are due, and none failed.
    pub more: bool,
}

impl LogoCleanup {
    /// Removes some of the due copies. When one cannot be removed, the others that are due wait for the next
    /// round.
    ///
    /// # Errors
    /// A [`kernel::StoreError`] when the removals cannot be read or written; begun removals are retried.
    pub async fn remove_unused(&self) -> StoreResult<RemovedLogos> {
        let mut removed = RemovedLogos::default();
        let now = self.clock.now();
        let due = self.removals.begin(now, now.saturating_add(LEASE), AT_ONCE).await?;
        let is_last = due.len() < usize::try_from(AT_ONCE).unwrap_or(usize::MAX);
        for key in due {
            match self.store.remove(&key).await {
                Ok(()) => {
                    self.removals.done(&key).await?;
                    removed.removed = removed.removed.saturating_add(1);
                }
                Err(error) => removed.failed.push(error),
            }
        }
        removed.more = !is_last && removed.failed.is_empty();
        Ok(removed)
    }
}
