//! An event of a gateway as it is kept.

use kernel::AccountId;
use time::OffsetDateTime;

use crate::gateway::GatewayAccountId;

/// An event in the inbox. Its id is unique within the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxEvent {
    /// The account.
    pub account: AccountId,
    /// The connection that it came by.
    pub gateway_account: GatewayAccountId,
    /// The gateway's id of it.
    pub id: String,
    /// When it came, UTC.
    pub received_at: OffsetDateTime,
}
