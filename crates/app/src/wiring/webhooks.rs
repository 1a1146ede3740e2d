//! Webhooks: the use cases that manage them, and the worker that delivers them.

use std::num::NonZeroU32;
use std::sync::Arc;

use kernel::SealingKeys;
use webhook_reqwest::Client;
use webhooks::{BulkReplayWorker, DeliveryWorker, WebhookAdministration};

use super::Dependencies;
use super::adapters::webhook_client;
use crate::settings::Settings;

impl Dependencies {
    /// The use cases of endpoints and deliveries; the client checks the addresses.
    #[must_use]
    pub fn webhook_administration(&self, client: Client, keys: Arc<SealingKeys>) -> WebhookAdministration {
        WebhookAdministration {
            endpoints: self.store.endpoints.clone(),
            deliveries: self.store.delivery_store.clone(),
            secrets: self.store.sealed_secrets.clone(),
            guard: Arc::new(client),
            keys,
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            random: self.random.clone(),
        }
    }

    /// The worker that delivers webhooks.
    ///
    /// # Errors
    /// One line that names the setting that cannot be used.
    pub fn delivery_worker(
        &self,
        settings: &Settings,
        keys: Arc<SealingKeys>,
    ) -> anyhow::Result<DeliveryWorker> {
        Ok(DeliveryWorker {
            queue: self.store.deliveries.clone(),
            signal: self.store.delivery_signal.clone(),
            sender: Arc::new(webhook_client(settings)?),
            keys,
            clock: self.clock.clone(),
            schedule: settings.webhook_schedule()?,
        })
    }

    /// The worker that replays many deliveries.
    #[must_use]
    pub fn bulk_replay_worker(&self) -> BulkReplayWorker {
        BulkReplayWorker {
            jobs: self.jobs(NonZeroU32::MIN),
            deliveries: self.store.delivery_store.clone(),
            ids: self.ids.clone(),
        }
    }
}
