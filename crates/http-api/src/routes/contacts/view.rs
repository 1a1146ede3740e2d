//! The contact as responses show it.

use contacts::{Contact, PostalAddress};
use kernel::{EmailAddress, SingleLine, instant_text};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// A person or company that is invoiced.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Contact)]
pub struct ContactView<'a> {
    /// The contact's id.
    #[schema(value_type = String, format = Uuid, example = "01a1f6b6-ee63-7000-8000-000000000001")]
    id: Uuid,
    /// The name.
    #[schema(example = "Ada Lovelace")]
    name: &'a str,
    /// The e-mail address; matched case-insensitively.
    #[schema(format = Email, example = "ada@example.com")]
    email: Option<&'a str>,
    /// The phone number, as it was sent.
    phone: Option<&'a str>,
    /// The caller's own identifier; matched exactly.
    external_id: Option<&'a str>,
    /// The postal address.
    address: Option<AddressView<'a>>,
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
pub(crate) struct AddressView<'a> {
    /// Street and number.
    line1: Option<&'a str>,
    /// Second line of the street address.
    line2: Option<&'a str>,
    /// City or suburb.
    city: Option<&'a str>,
    /// State, province or region.
    state: Option<&'a str>,
    /// Postal code.
    postal_code: Option<&'a str>,
    /// Country.
    country: Option<&'a str>,
}

impl<'a> From<&'a Contact> for ContactView<'a> {
    fn from(contact: &'a Contact) -> Self {
        Self {
            id: contact.id.uuid(),
            name: contact.name.as_str(),
            email: contact.email.as_ref().map(EmailAddress::as_str),
            phone: contact.phone.as_ref().map(SingleLine::as_str),
            external_id: contact.external_id.as_ref().map(SingleLine::as_str),
            address: contact.address.as_ref().map(AddressView::from),
            created_at: instant_text(contact.created_at),
            updated_at: instant_text(contact.updated_at),
        }
    }
}

impl<'a> From<&'a PostalAddress> for AddressView<'a> {
    fn from(address: &'a PostalAddress) -> Self {
        Self {
            line1: address.line1.as_ref().map(SingleLine::as_str),
            line2: address.line2.as_ref().map(SingleLine::as_str),
            city: address.city.as_ref().map(SingleLine::as_str),
            state: address.state.as_ref().map(SingleLine::as_str),
            postal_code: address.postal_code.as_ref().map(SingleLine::as_str),
            country: address.country.as_ref().map(SingleLine::as_str),
        }
    }
}
