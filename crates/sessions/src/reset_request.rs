//! A request for a password reset, for any e-mail address.

use kernel::{EmailAddress, Entity, Id};
use time::OffsetDateTime;

/// Marks ids of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResetRequestEntity {}
impl Entity for ResetRequestEntity {
    const NAME: &'static str = "reset request";
}

pub type ResetRequestId = Id<ResetRequestEntity>;

/// A request for a new password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResetRequest {
    pub id: ResetRequestId,
    /// The e-mail address that was entered; there may be no login with it.
    pub email: EmailAddress,
    pub requested_at: OffsetDateTime,
}
