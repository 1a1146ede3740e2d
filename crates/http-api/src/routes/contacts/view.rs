//! The contact as responses show it.

use contacts::{Contact, PostalAddress};
use kernel::instant_text;
use serde::Serialize;
use utoipa::ToSchema;

use crate::respond::text;

/// A person or company that is invoiced.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Contact)]
pub struct ContactView {
    /// The contact's id.
    #[schema(format = Uuid, example = "01a1f6b6-ee63-7000-8000-000000000001")]
    id: String,
    /// The name.
    #[schema(example = "Ada Lovelace")]
    name: String,
    /// The e-mail address; matched case-insensitively.
    #[schema(format = Email, example = "ada@example.com")]
    email: Option<String>,
    /// The phone number, as it was sent.
    phone: Option<String>,
    /// The caller's own identifier; matched exactly.
    external_id: Option<String>,
    /// The postal address.
    address: Option<AddressView>,
    /// When the contact was created.
    #[schema(format = DateTime, example = "2026-11-20T02:09:06.147Z")]
    created_at: String,
    /// When the contact was last changed.
    #[schema(format = DateTime, example = "2026-11-20T02:09:06.147Z")]
    updated_at: String,
}

/// A postal address, in free text.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PostalAddress)]
pub(crate) struct AddressView {
    /// Street and number.
    line1: Option<String>,
    /// Second line of the street address.
    line2: Option<String>,
    /// City or suburb.
    city: Option<String>,
    /// State, province or region.
    state: Option<String>,
    /// Postal code.
    postal_code: Option<String>,
    /// Country.
    country: Option<String>,
}

impl From<&Contact> for ContactView {
    fn from(contact: &Contact) -> Self {
        Self {
            id: contact.id.to_string(),
            name: contact.name.to_string(),
            email: text(&contact.email),
            phone: text(&contact.phone),
            external_id: text(&contact.external_id),
            address: contact.address.as_ref().map(AddressView::from),
            created_at: instant_text(contact.created_at),
            updated_at: instant_text(contact.updated_at),
        }
    }
}

impl From<&PostalAddress> for AddressView {
    fn from(address: &PostalAddress) -> Self {
        Self {
            line1: text(&address.line1),
            line2: text(&address.line2),
            city: text(&address.city),
            state: text(&address.state),
            postal_code: text(&address.postal_code),
            country: text(&address.country),
        }
    }
}
