//! Webhooks: the desk that manages them, and the courier that delivers them.

use std::sync::Arc;

use anyhow::Context as _;
use courier_tokio::DeliveryWorker;
use kernel::SealingKeys;
use webhook_reqwest::{Client, Reach};
use webhooks::{Means, WebhookDesk};

use super::Dependencies;
use crate::settings::Settings;

/// The client that calls the addresses which accounts name.
///
/// # Errors
/// One line that names the setting that cannot be used.
pub fn client(settings: &Settings) -> anyhow::Result<Client> {
    let reach = if settings.allow_private_targets {
        Reach::Anywhere
    } else {
        Reach::Public
    };
    let extra_ca = settings.extra_ca_file.as_deref();
    Client::new(reach, extra_ca).context("COUNTINGHOUSE_EXTRA_CA_FILE")
}

impl Dependencies {
    /// The use cases of endpoints and deliveries.
    ///
    /// # Errors
    /// One line that names the setting that cannot be used.
    pub fn webhook_desk(
        &self,
        settings: &Settings,
        keys: Arc<SealingKeys>,
    ) -> anyhow::Result<WebhookDesk> {
        Ok(WebhookDesk {
            endpoints: self.store.endpoints.clone(),
            log: self.store.delivery_log.clone(),
            secrets: self.store.sealed_secrets.clone(),
            guard: Arc::new(client(settings)?),
            keys,
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            random: self.random.clone(),
        })
    }

    /// The courier that delivers webhooks.
    ///
    /// # Errors
    /// One line that names the setting that cannot be used.
    pub fn worker(
        &self,
        settings: &Settings,
        keys: Arc<SealingKeys>,
    ) -> anyhow::Result<DeliveryWorker> {
        Ok(DeliveryWorker {
            queue: self.store.deliveries.clone(),
            signal: self.store.delivery_signal.clone(),
            means: Means {
                sender: Arc::new(client(settings)?),
                keys,
                clock: self.clock.clone(),
                schedule: settings.webhook_schedule()?,
            },
        })
    }
}
