//! The service whose methods are the use cases of endpoints and deliveries.

use std::sync::Arc;

use kernel::{Clock, Ids, SealingKeys, SecureRandom};

use crate::ports::{DeliveryStore, EndpointsStore, SealedSecrets, TargetGuard};

/// The use cases of endpoints and deliveries, over their ports.
#[derive(Clone)]
pub struct WebhookAdministration {
    /// The endpoints.
    pub endpoints: Arc<dyn EndpointsStore>,
    /// The deliveries, for reading and replaying them.
    pub deliveries: Arc<dyn DeliveryStore>,
    /// The sealed secrets, for a change of the master key.
    pub secrets: Arc<dyn SealedSecrets>,
    /// Checks targets.
    pub guard: Arc<dyn TargetGuard>,
    /// The keys that seal signing secrets.
    pub keys: Arc<SealingKeys>,
    /// The time for endpoints and replayed deliveries, UTC.
    pub clock: Arc<dyn Clock>,
    /// Generates ids.
    pub ids: Arc<dyn Ids>,
    /// The random source for secrets.
    pub random: Arc<dyn SecureRandom>,
}
