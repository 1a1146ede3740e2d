//! The payload of a mail with a receipt.

use invoices::Addressee;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

#[derive(Serialize, Deserialize)]
pub(super) struct ReceiptPayload {
    pub(super) contact: Addressee,
    pub(super) contact_name: String,
    pub(super) invoice_number: String,
    pub(super) amount: String,
    pub(super) amount_due: String,
    pub(super) pay_token: String,
    pub(super) payment: Uuid,
}
