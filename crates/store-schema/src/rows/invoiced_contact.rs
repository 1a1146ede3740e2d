//! The copy of the contact that an invoice carries, as JSON in `invoices.contact`.

use invoices::InvoicedContact;
use kernel::{EmailAddress, SingleLine, StoreResult};
use serde::{Deserialize, Serialize};

use super::contact::AddressDoc;
use super::row_ref::{RowRef, json, text, text_or_null};
use crate::types::RowId;

/// The contact as it was when copied, without its id, which has its own column.
#[derive(Debug, Serialize, Deserialize)]
struct InvoicedContactDoc {
    external_id: Option<String>,
    name: String,
    email: Option<String>,
    phone: Option<String>,
    address: Option<AddressDoc>,
}

/// The copy as stored.
pub fn to_json(contact: &InvoicedContact) -> String {
    let doc = InvoicedContactDoc {
        external_id: text_or_null(contact.external_id.as_ref()),
        name: text(&contact.name),
        email: contact.email.as_ref().map(|email| email.as_str().to_owned()),
        phone: text_or_null(contact.phone.as_ref()),
        address: contact.address.as_ref().map(AddressDoc::from),
    };
    json(&doc)
}

pub(crate) fn from_json(id: RowId, document: &str, row_ref: RowRef) -> StoreResult<InvoicedContact> {
    let doc: InvoicedContactDoc =
        serde_json::from_str(document).map_err(|fault| row_ref.wrong("contact", fault))?;
    Ok(InvoicedContact {
        id: id.id(),
        external_id: doc.external_id.map(SingleLine::from_stored),
        name: SingleLine::from_stored(doc.name),
        email: doc.email.map(EmailAddress::from_stored),
        phone: doc.phone.map(SingleLine::from_stored),
        address: doc.address.map(AddressDoc::into_address),
    })
}
