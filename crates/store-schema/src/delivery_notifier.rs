//! Who tells delivery workers that there is something to deliver.

use std::sync::Arc;

use tokio::sync::Notify;

use crate::options::Announce;

/// Wakes this process's delivery worker after commits of this process, and of others that were heard of.
#[derive(Clone)]
pub struct DeliveryNotifier {
    wake: Arc<Notify>,
    announce: Announce,
}

impl DeliveryNotifier {
    pub fn new(announce: Announce) -> Self {
        Self { wake: Arc::default(), announce }
    }

    /// Whether other processes are notified of what this one commits.
    pub fn tells_everyone(&self) -> bool {
        self.announce == Announce::Everywhere
    }

    /// Wakes the worker that waits, or else the next one that comes to wait.
    pub fn wake(&self) {
        self.wake.notify_one();
    }

    /// Waits until the workers are to be woken. What happened since the last time counts.
    pub async fn woken(&self) {
        self.wake.notified().await;
    }
}
