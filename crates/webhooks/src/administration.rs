//! What the use cases of endpoints and deliveries need from outside.

use std::sync::Arc;

use kernel::{Clock, Ids, SealingKeys, SecureRandom};

use crate::ports::{DeliveryLog, EndpointsStore, SealedSecrets, TargetGuard};

/// The use cases of endpoints and deliveries, over what they need from outside.
#[derive(Clone)]
pub struct WebhookAdministration {
    /// The endpoints.
    pub endpoints: Arc<dyn EndpointsStore>,
    /// The deliveries, to be shown and made anew.
    pub log: Arc<dyn DeliveryLog>,
    /// The sealed secrets, for a change of the master key.
    pub secrets: Arc<dyn SealedSecrets>,
    /// Looks at targets.
    pub guard: Arc<dyn TargetGuard>,
    /// What secrets are sealed under.
    pub keys: Arc<SealingKeys>,
    /// Dates endpoints and replayed deliveries, UTC.
    pub clock: Arc<dyn Clock>,
    /// Makes ids.
    pub ids: Arc<dyn Ids>,
    /// Makes secrets.
    pub random: Arc<dyn SecureRandom>,
}
