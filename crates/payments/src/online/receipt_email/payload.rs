//! The payload of a mail with a receipt.

use invoices::Addressee;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

#[derive(Serialize, Deserialize)]
pub(super) struct ReceiptPayload {
    /// `None` if an earlier version queued the mail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) contact: Option<Addressee>,
    pub(super) contact_name: String,
    pub(super) invoice_number: String,
    pub(super) amount: String,
    pub(super) amount_due: String,
    pub(super) pay_token: String,
    pub(super) payment: Uuid,
}
