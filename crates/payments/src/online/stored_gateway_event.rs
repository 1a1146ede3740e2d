//! A gateway's event as stored.

use kernel::AccountId;
use time::OffsetDateTime;

use crate::gateway::GatewayAccountId;

/// An event that was received. Its id is unique within the gateway account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredGatewayEvent {
    /// The account.
    pub account: AccountId,
    /// The gateway account that it is about.
    pub gateway_account: GatewayAccountId,
    /// The gateway's id of the event.
    pub id: String,
    /// When it was received, UTC.
    pub received_at: OffsetDateTime,
}
