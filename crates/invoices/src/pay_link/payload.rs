//! The payloads of link requests and their mails.

use outbox::Task;
use serde::{Deserialize, Serialize};

use crate::addressee::Addressee;

/// The content of a mail with a link.
#[derive(Serialize, Deserialize)]
pub(super) struct LinkPayload {
    pub(super) invoice_number: String,
    pub(super) contact: Addressee,
    pub(super) contact_name: Option<String>,
    pub(super) pay_token: String,
}

/// A request for a link.
#[derive(Serialize, Deserialize)]
pub struct PayLinkTask {
    pub(super) invoice_number: String,
    pub(super) email: String,
}

impl Task for PayLinkTask {
    const KIND: &'static str = "pay_link";
}
