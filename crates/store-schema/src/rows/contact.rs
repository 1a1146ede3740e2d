//! Rows of `contacts`.

use ::contacts::{Contact, PostalAddress};
use diesel::prelude::*;
use kernel::{EmailAddress, SingleLine, StoreError, StoreResult};
use serde::{Deserialize, Serialize};

use super::row_ref::{RowRef, json, text, text_or_null};
use crate::schema::{contact_words, contacts};
use crate::types::{RowId, RowInstant};

#[derive(Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = contacts, treat_none_as_default_value = false)]
pub struct ContactRow {
    pub account_id: RowId,
    pub id: RowId,
    pub name: String,
    pub email: Option<String>,
    pub email_key: Option<String>,
    pub phone: Option<String>,
    pub external_id: Option<String>,
    pub address: Option<String>,
    pub created_at: RowInstant,
    pub updated_at: RowInstant,
}

impl From<&Contact> for ContactRow {
    fn from(contact: &Contact) -> Self {
        Self {
            account_id: contact.account.into(),
            id: contact.id.into(),
            name: text(&contact.name),
            email: contact.email.as_ref().map(|email| email.as_str().to_owned()),
            email_key: contact.email.as_ref().map(EmailAddress::matching_key),
            phone: text_or_null(contact.phone.as_ref()),
            external_id: text_or_null(contact.external_id.as_ref()),
            address: contact.address.as_ref().map(|address| json(&AddressDoc::from(address))),
            created_at: RowInstant(contact.created_at),
            updated_at: RowInstant(contact.updated_at),
        }
    }
}

impl TryFrom<ContactRow> for Contact {
    type Error = StoreError;

    fn try_from(row: ContactRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "contacts", id: row.id };
        let address = row.address.as_deref().map(|json| {
            let doc = serde_json::from_str::<AddressDoc>(json);
            doc.map(AddressDoc::into_address).map_err(|fault| row_ref.wrong("address", fault))
        });
        Ok(Self {
            id: row.id.id(),
            account: row.account_id.id(),
            name: SingleLine::from_stored(row.name),
            email: row.email.map(EmailAddress::from_stored),
            phone: row.phone.map(SingleLine::from_stored),
            external_id: row.external_id.map(SingleLine::from_stored),
            address: address.transpose()?,
            created_at: row.created_at.0,
            updated_at: row.updated_at.0,
        })
    }
}

#[derive(Debug, Insertable)]
#[diesel(table_name = contact_words)]
pub struct ContactWordRow {
    account_id: RowId,
    contact_id: RowId,
    word: String,
}

impl ContactWordRow {
    /// The rows of a contact's words.
    pub fn of(contact: &Contact) -> Vec<Self> {
        let row = |word| Self { account_id: contact.account.into(), contact_id: contact.id.into(), word };
        contact.search_words().into_iter().map(row).collect()
    }
}

/// A postal address as it is stored.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AddressDoc {
    line1: Option<String>,
    line2: Option<String>,
    city: Option<String>,
    state: Option<String>,
    postal_code: Option<String>,
    country: Option<String>,
}

impl From<&PostalAddress> for AddressDoc {
    fn from(address: &PostalAddress) -> Self {
        Self {
            line1: text_or_null(address.line1.as_ref()),
            line2: text_or_null(address.line2.as_ref()),
            city: text_or_null(address.city.as_ref()),
            state: text_or_null(address.state.as_ref()),
            postal_code: text_or_null(address.postal_code.as_ref()),
            country: text_or_null(address.country.as_ref()),
        }
    }
}

impl AddressDoc {
    pub(crate) fn into_address(self) -> PostalAddress {
        PostalAddress {
            line1: self.line1.map(SingleLine::from_stored),
            line2: self.line2.map(SingleLine::from_stored),
            city: self.city.map(SingleLine::from_stored),
            state: self.state.map(SingleLine::from_stored),
            postal_code: self.postal_code.map(SingleLine::from_stored),
            country: self.country.map(SingleLine::from_stored),
        }
    }
}
