//! The id of a charge.

use kernel::{Entity, Id};

/// Marks ids of charges' rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChargeEntity {}
impl Entity for ChargeEntity {
    const NAME: &'static str = "charge";
}

/// The id of a charge's row. The gateway's own id is [`ChargeId`](crate::gateway::ChargeId).
pub type ChargeRowId = Id<ChargeEntity>;
