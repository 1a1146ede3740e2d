//! Contacts: the people and companies that are invoiced.
//!
//! A contact is found or created from a reference, in one transaction and under any concurrency, in the
//! contract's order ("POST /contacts"): by `id`, by `external_id`, by `email`, and only then as a new one.
//! Finding a contact never changes it.
//!
//! ```
//! use contacts::{ContactInput, ContactReference};
//! use kernel::{EmailAddress, Field};
//!
//! let input = ContactInput { email: Field::Value(EmailAddress::parse("ada@example.com").unwrap()), ..Default::default() };
//! let reference = ContactReference::from(input);
//! // Nothing to create a contact from: the name is missing.
//! assert!(reference.missing_for_a_new_contact().names("name"));
//! ```

#![warn(missing_docs)]

pub mod amend;
pub mod contact;
pub mod find_or_create;
pub mod ports;
pub mod read;
pub mod reference;
pub mod search;
mod service;

pub use amend::{AddressInput, AmendContactError, ContactAmendment};
pub use contact::{Contact, ContactId, ContactName, ExternalId, Phone, PostalAddress};
pub use find_or_create::{FindOrCreateError, FoundOrCreated, find_or_create};
pub use ports::{ContactReads, Contacts, ContactsStore, ContactsTx};
pub use read::LookUpError;
pub use reference::{ContactInput, ContactReference};
pub use search::SearchText;
pub use service::ContactService;
