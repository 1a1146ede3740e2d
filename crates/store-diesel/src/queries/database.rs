//! What all queries share: the connections, and the state of the process.

use std::sync::Arc;

use ::sessions::AuditEntry;
use store_schema::delivery_notifier::DeliveryNotifier;
use store_schema::in_flight_keys::InFlightKeys;

use super::faulty_accounts::FaultyAccounts;
use super::listening::Listening;
use crate::pool::Pool;

/// The database behind every port.
#[derive(Clone)]
pub(super) struct Database {
    pub(super) pool: Pool,
    pub(super) in_flight_keys: InFlightKeys,
    pub(super) delivery_notifier: DeliveryNotifier,
    pub(super) listening: Arc<Listening>,
    pub(super) faulty_accounts: FaultyAccounts,
    /// The audit entry that a change of an account writes with its commit.
    pub(super) audit: Option<Arc<AuditEntry>>,
}
