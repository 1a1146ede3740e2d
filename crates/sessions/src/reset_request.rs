//! A request for a password reset, for any e-mail address.

use kernel::{EmailAddress, Id};
use time::OffsetDateTime;

/// Marks ids of requests.
pub enum ResetRequestEntity {}

pub type ResetRequestId = Id<ResetRequestEntity>;

/// A request for a new password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResetRequest {
    pub id: ResetRequestId,
    /// The e-mail address that was entered; there may be no login with it.
    pub email: EmailAddress,
    pub requested_at: OffsetDateTime,
}
