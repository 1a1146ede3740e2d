//! The payload of a mail about changed bank details.

use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(super) struct BankDetailsEmailPayload {
    pub(super) company_name: String,
    pub(super) currency: String,
    pub(super) details: Vec<String>,
    /// Microseconds since 1970.
    pub(super) in_force_at: i64,
    /// Mails that were queued before there was this field are in UTC.
    #[serde(default)]
    pub(super) time_zone: Option<String>,
    pub(super) sealed_token: String,
}
