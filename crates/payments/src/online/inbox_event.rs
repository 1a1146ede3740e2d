//! A gateway's event as stored.

use kernel::AccountId;
use time::OffsetDateTime;

use crate::gateway::GatewayAccountId;

/// An event in the inbox. Its id is unique within the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxEvent {
    /// The account.
    pub account: AccountId,
    /// The connection that received it.
    pub gateway_account: GatewayAccountId,
    /// The gateway's id of the event.
    pub id: String,
    /// When it was received, UTC.
    pub received_at: OffsetDateTime,
}
