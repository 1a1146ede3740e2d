//! The id of a charge.

use kernel::{Entity, Id};

/// Names the row of a charge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChargeEntity {}
impl Entity for ChargeEntity {
    const NAME: &'static str = "charge";
}

/// The id of the row of a charge. The gateway's own id is [`ChargeId`](crate::gateway::ChargeId).
pub type ChargeRowId = Id<ChargeEntity>;
