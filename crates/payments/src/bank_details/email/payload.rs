//! The payload of a mail about changed bank details.

use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(super) struct BankDetailsEmailPayload {
    pub(super) company_name: String,
    pub(super) currency: String,
    pub(super) details: Vec<String>,
    /// Microseconds since 1970.
    pub(super) in_force_at: i64,
    /// The account's, by name.
    pub(super) time_zone: String,
    pub(super) sealed_token: String,
}
