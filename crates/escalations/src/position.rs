//! Places in the list of escalations.

use kernel::Id;

use crate::escalation::EscalationId;
use crate::terms::Status;

/// A place in the list: behind this escalation, among those of this status. An escalation that is resolved
/// while the list is walked moves, and the place stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EscalationPosition {
    /// The part of the list: open ones come first.
    pub status: Status,
    /// The last escalation of the page before.
    pub after: EscalationId,
}

impl EscalationPosition {
    /// The beginning of the part of the list with this status.
    #[must_use]
    pub const fn beginning(status: Status) -> Self {
        Self { status, after: Id::from_uuid(uuid::Uuid::max()) }
    }
}
