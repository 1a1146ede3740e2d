//! The use cases that manage webhooks.

use std::sync::Arc;

use kernel::SealingKeys;
use webhook_reqwest::Client;
use webhooks::WebhookAdministration;

use super::Dependencies;

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
}
