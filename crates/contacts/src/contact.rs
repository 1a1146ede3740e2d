//! The contact and its parts.

use kernel::{AccountId, EmailAddress, Id, SingleLine, Version};
use time::OffsetDateTime;

/// Marks ids of contacts.
pub enum ContactEntity {}

/// The id of a contact.
pub type ContactId = Id<ContactEntity>;
/// A contact's name, at most 200 characters.
pub type ContactName = SingleLine<200>;
/// A phone number as the caller wrote it, at most 50 characters.
pub type Phone = SingleLine<50>;
/// The caller's own identifier of the contact, at most 255 characters, compared exactly.
pub type ExternalId = SingleLine<255>;

/// A person or company that is invoiced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    /// The contact's id.
    pub id: ContactId,
    /// The account that it belongs to.
    pub account: AccountId,
    /// Its name.
    pub name: ContactName,
    /// Its e-mail address, unique among the account's contacts.
    pub email: Option<EmailAddress>,
    /// Its phone number.
    pub phone: Option<Phone>,
    /// The caller's own identifier, unique among the account's contacts.
    pub external_id: Option<ExternalId>,
    /// Its postal address.
    pub address: Option<PostalAddress>,
    /// When it was created, UTC.
    pub created_at: OffsetDateTime,
    /// When it was last changed, UTC.
    pub updated_at: OffsetDateTime,
}

impl Contact {
    /// The present version of the contact. It stays when the contact is saved as it was.
    #[must_use]
    pub fn version(&self) -> Version {
        Version::of(&Self { updated_at: self.created_at, ..self.clone() })
    }
}

/// A postal address, in free text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostalAddress {
    /// Street and number.
    pub line1: Option<SingleLine<200>>,
    /// The second line, for additions to the street.
    pub line2: Option<SingleLine<200>>,
    /// City or suburb.
    pub city: Option<SingleLine<200>>,
    /// State, province or region.
    pub state: Option<SingleLine<200>>,
    /// Postal code.
    pub postal_code: Option<SingleLine<200>>,
    /// Country.
    pub country: Option<SingleLine<200>>,
}
