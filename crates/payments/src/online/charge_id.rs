//! The id of a charge.

use kernel::Id;

/// Marks ids of charges' rows.
pub enum ChargeEntity {}

/// The id of a charge's row. The gateway's own id is [`ChargeId`](crate::gateway::ChargeId).
pub type ChargeRowId = Id<ChargeEntity>;
