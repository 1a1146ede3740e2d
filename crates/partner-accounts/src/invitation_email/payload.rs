//! The payload of an invitation's mail.

use serde::{Deserialize, Serialize};

/// The recipient of an invitation, and the token, sealed for this mail.
#[derive(Serialize, Deserialize)]
pub(super) struct InvitationPayload {
    pub(super) company_name: String,
    pub(super) first_name: Option<String>,
    pub(super) last_name: Option<String>,
    /// Microseconds since 1970.
    pub(super) expires_at: i64,
    pub(super) sealed_token: String,
}
