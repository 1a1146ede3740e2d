//! Wakes delivery workers when there may be something to deliver.

use std::sync::Arc;

use tokio::sync::Notify;

use crate::options::Announce;

/// Wakes this process's delivery worker after commits of this process, and after announced commits of others.
#[derive(Clone)]
pub struct DeliveryNotifier {
    wake: Arc<Notify>,
    announce: Announce,
}

impl DeliveryNotifier {
    pub fn new(announce: Announce) -> Self {
        Self { wake: Arc::default(), announce }
    }

    /// Whether other processes are notified of this one's commits.
    pub fn tells_everyone(&self) -> bool {
        self.announce == Announce::Everywhere
    }

    /// Wakes the waiting worker, or else the next one that waits.
    pub fn wake(&self) {
        self.wake.notify_one();
    }

    /// Waits for the next wake-up. One that came since the previous call counts.
    pub async fn woken(&self) {
        self.wake.notified().await;
    }
}
