//! Telling delivery workers that there is something to deliver.

use std::sync::OnceLock;

use async_trait::async_trait;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use webhooks::DeliverySignal;

use super::{Database, listen};

#[async_trait]
impl DeliverySignal for Database {
    async fn published(&self) {
        // Processes without a courier never come here, and never listen.
        let (pool, delivery_notifier) = (&self.pool, &self.delivery_notifier);
        self.listening.start(pool.runtime(), || {
            listen::listen(pool.clone(), delivery_notifier.clone())
        });
        self.delivery_notifier.woken().await;
    }
}

/// The task that hears what other processes commit, once somebody wants to know. It ends with the store.
#[derive(Default)]
pub(super) struct Listening(OnceLock<AbortHandle>);

impl Listening {
    fn start<F: Future<Output = ()> + Send + 'static>(
        &self,
        runtime: &Handle,
        listening: impl FnOnce() -> F,
    ) {
        self.0
            .get_or_init(|| runtime.spawn(listening()).abort_handle());
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if let Some(task) = self.0.get() {
            task.abort();
        }
    }
}
