//! The faults of an invoice's contact that only a look-up of the contact shows.

use contacts::{Contact, ContactInput, ContactReference, Contacts, FindOrCreateError};
use kernel::{FieldErrors, StoreResult};

use crate::check::{NEEDED_TO_SEND, missing_address};

/// Looks up the contact of a request that has faults, and adds the fields missing to create it if no contact
/// matches, so that one response names all faults. Returns the contact that matches.
pub(crate) async fn look_up(
    contacts: &mut dyn Contacts,
    input: &ContactInput,
    send: bool,
    faults: &mut FieldErrors,
) -> StoreResult<Option<Contact>> {
    let Some(reference) = input.to_look_up() else {
        return Ok(None);
    };
    let found = reference.pick(&contacts.matching(&reference).await?);
    // An unknown id is no field error.
    if found.is_none() && reference.id.is_none() {
        faults.add_under("contact", input.missing_if_none_is_found());
        if send && reference.email.is_none() {
            faults.add_all(missing_address());
        }
    }
    Ok(found)
}

/// Adds the e-mail address that sending the invoice needs to the fields missing to create its contact.
pub(crate) fn with_missing_address(
    error: FindOrCreateError,
    reference: &ContactReference,
    send: bool,
) -> FindOrCreateError {
    match error {
        FindOrCreateError::Invalid(mut missing) if send && reference.email.is_none() => {
            missing.add("email", NEEDED_TO_SEND);
            FindOrCreateError::Invalid(missing)
        }
        other => other,
    }
}
