//! Positions in the list of escalations.

use kernel::Id;

use crate::escalation::EscalationId;
use crate::terms::EscalationStatus;

/// A position in the list: after this escalation, among those of this status. An escalation that is resolved
/// between two pages moves in the list; the position stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EscalationPosition {
    /// The part of the list: open ones come first.
    pub status: EscalationStatus,
    /// The last escalation of the previous page.
    pub after: EscalationId,
}

impl EscalationPosition {
    /// The beginning of the part of the list with this status.
    #[must_use]
    pub const fn beginning(status: EscalationStatus) -> Self {
        Self { status, after: Id::from_uuid(uuid::Uuid::max()) }
    }
}
