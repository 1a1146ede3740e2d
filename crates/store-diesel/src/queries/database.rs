//! What every query has: the connections, and what a process knows besides the database.

use std::sync::Arc;

use ::sessions::AuditEntry;
use store_schema::delivery_notifier::DeliveryNotifier;
use store_schema::in_flight_keys::InFlightKeys;

use super::listening::Listening;
use crate::pool::Pool;

/// The database behind every port.
#[derive(Clone)]
pub(super) struct Database {
    pub(super) pool: Pool,
    pub(super) in_flight_keys: InFlightKeys,
    pub(super) delivery_notifier: DeliveryNotifier,
    pub(super) listening: Arc<Listening>,
    /// What a change of an account writes into the account's audit entries with its commit.
    pub(super) audit: Option<Arc<AuditEntry>>,
}
