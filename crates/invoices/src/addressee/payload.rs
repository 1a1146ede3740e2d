//! The part of a mail's payload that names a contact.

use serde::{Deserialize, Serialize};

/// The field `contact` of a mail's payload. The payload of a mail that sends an invoice has more in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Addressee {
    pub(super) id: String,
}
