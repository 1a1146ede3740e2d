//! What a mail about a gateway's key holds.

use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(super) struct Payload {
    pub(super) company_name: String,
    pub(super) gateway: String,
    /// In microseconds since 1970; none of a key that was in force at once.
    pub(super) in_force_at: Option<i64>,
    pub(super) sealed_token: String,
}
