//! Who tells couriers that there is something to deliver.

use std::sync::Arc;

use tokio::sync::Notify;

use crate::open::Announce;

/// Tells this process's courier of what was committed here, and of what others are heard to have committed.
#[derive(Clone)]
pub(crate) struct Herald {
    wake: Arc<Notify>,
    announce: Announce,
}

impl Herald {
    pub(crate) fn new(announce: Announce) -> Self {
        Self {
            wake: Arc::default(),
            announce,
        }
    }

    /// Whether other processes are told of what this one commits.
    pub(crate) fn tells_everyone(&self) -> bool {
        self.announce == Announce::Everywhere
    }

    /// Wakes whoever waits, or else the next one that comes to wait.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Waits until somebody is to be woken. What happened since the last time counts.
    pub(crate) async fn woken(&self) {
        self.wake.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn what_happened_between_two_waits_is_not_missed() {
        let herald = Herald::new(Announce::Here);
        assert!(herald.woken().now_or_never().is_none());
        herald.wake();
        herald.wake();
        assert!(herald.woken().now_or_never().is_some());
        assert!(herald.woken().now_or_never().is_none());
    }
}
