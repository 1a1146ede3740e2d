//! The payload of a mail about a gateway key.

use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(super) struct GatewayKeyEmailPayload {
    pub(super) company_name: String,
    pub(super) gateway: String,
    /// Microseconds since 1970; `None` for a key that was in force at once.
    pub(super) in_force_at: Option<i64>,
    /// Mails that were queued before there was this field are in UTC.
    #[serde(default)]
    pub(super) time_zone: Option<String>,
    pub(super) sealed_token: String,
}
