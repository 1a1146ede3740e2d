//! Telling delivery workers that there is something to deliver.

use async_trait::async_trait;
use webhooks::DeliverySignal;

use super::database::Database;
use crate::listen;

#[async_trait]
impl DeliverySignal for Database {
    async fn published(&self) {
        // Only delivery workers call this: processes without one never listen.
        let (pool, delivery_notifier) = (&self.pool, &self.delivery_notifier);
        self.listening.start(pool.runtime(), || listen::listen(pool.clone(), delivery_notifier.clone()));
        self.delivery_notifier.woken().await;
    }
}
