//! The payload of a mail about a gateway key.

use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(super) struct GatewayKeyEmailPayload {
    pub(super) company_name: String,
    pub(super) gateway: String,
    /// Microseconds since 1970; `None` for a key that was in force at once.
    pub(super) in_force_at: Option<i64>,
    /// The account's, by name.
    pub(super) time_zone: String,
    pub(super) sealed_token: String,
}
