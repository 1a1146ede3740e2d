//! The contact as it was when the invoice was issued.

use contacts::{Contact, ContactId, ContactName, ExternalId, Phone, PostalAddress};
use kernel::EmailAddress;

/// A copy of the contact, taken on issue: an invoice is a legal document and must not change when the contact
/// does. A draft's copy is renewed when the draft is issued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvoicedContact {
    /// The contact's id.
    pub id: ContactId,
    /// The caller's own identifier.
    pub external_id: Option<ExternalId>,
    /// Its name.
    pub name: ContactName,
    /// Its e-mail address.
    pub email: Option<EmailAddress>,
    /// Its phone number.
    pub phone: Option<Phone>,
    /// Its postal address.
    pub address: Option<PostalAddress>,
}

impl From<Contact> for InvoicedContact {
    fn from(contact: Contact) -> Self {
        Self {
            id: contact.id,
            external_id: contact.external_id,
            name: contact.name,
            email: contact.email,
            phone: contact.phone,
            address: contact.address,
        }
    }
}
