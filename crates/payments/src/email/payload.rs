//! What a mail about changed bank details holds.

use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(super) struct Payload {
    pub(super) company_name: String,
    pub(super) currency: String,
    pub(super) details: Vec<String>,
    /// In microseconds since 1970.
    pub(super) in_force_at: i64,
    pub(super) sealed_token: String,
}
