//! Removing the copies that no account names any more, or never came to name.

use std::sync::Arc;

use kernel::{Clock, StoreError};
use time::Duration;

use super::ports::{LogoRemovals, LogoStore, LogoStoreError};

/// How long nobody else tries to remove what one sweeper has in hand; and, since one that fails keeps it in hand, when it is tried again.
const IN_HAND: Duration = Duration::minutes(5);

/// How many copies one round removes.
const AT_ONCE: u32 = 100;

/// Removes the copies whose removal is noted and due. It happens at least once for each, which does no harm.
#[derive(Clone)]
pub struct LogoCleanup {
    /// Knows which.
    pub ledger: Arc<dyn LogoRemovals>,
    /// Has them.
    pub store: Arc<dyn LogoStore>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

/// What one round came to.
#[derive(Debug, Default)]
pub struct RemovedLogos {
    /// How many copies are removed.
    pub removed: u32,
    /// Why others are not; they are tried again.
    pub failed: Vec<LogoStoreError>,
}

impl LogoCleanup {
    /// Removes what is due, at most a hundred copies.
    ///
    /// # Errors
    /// A [`StoreError`] when the notes cannot be read or written; what was in hand is tried again.
    pub async fn sweep(&self) -> Result<RemovedLogos, StoreError> {
        let now = self.clock.now();
        let due = self.ledger.begin(now, now + IN_HAND, AT_ONCE).await?;
        let mut swept = RemovedLogos::default();
        for key in due {
            match self.store.remove(&key).await {
                Ok(()) => {
                    self.ledger.done(&key).await?;
                    swept.removed = swept.removed.saturating_add(1);
                }
                Err(error) => swept.failed.push(error),
            }
        }
        Ok(swept)
    }
}
