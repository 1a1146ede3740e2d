//! A contact reference: the fields by which a caller identifies a contact.

use kernel::{AccountId, EmailAddress, Field, FieldErrors};
use time::OffsetDateTime;

use crate::contact::{Contact, ContactId, ContactName, ExternalId, Phone};

/// The fields of a reference as the caller sent them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContactInput {
    /// An existing contact's id.
    pub id: Field<ContactId>,
    /// The caller's own identifier.
    pub external_id: Field<ExternalId>,
    /// The e-mail address.
    pub email: Field<EmailAddress>,
    /// The name of a new contact.
    pub name: Field<ContactName>,
    /// The phone number of a new contact.
    pub phone: Field<Phone>,
}

/// A reference that can be resolved to a contact.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContactReference {
    /// An existing contact's id.
    pub id: Option<ContactId>,
    /// The caller's own identifier.
    pub external_id: Option<ExternalId>,
    /// The e-mail address.
    pub email: Option<EmailAddress>,
    /// The name of a new contact.
    pub name: Option<ContactName>,
    /// The phone number of a new contact.
    pub phone: Option<Phone>,
}

impl ContactInput {
    /// Whether no field was sent, or only empty ones.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.may_be_found() && self.name.is_missing() && self.phone.is_missing()
    }

    /// Whether a field was sent by which an existing contact may be found. If not, the reference creates a
    /// contact without an e-mail address.
    #[must_use]
    pub fn may_be_found(&self) -> bool {
        !(self.id.is_missing() && self.external_id.is_missing() && self.email.is_missing())
    }

    /// The fields missing to create the contact, as far as is known without a look-up: none if a field was
    /// sent by which an existing contact may be found. A faulty field is not missing.
    #[must_use]
    pub fn missing_for_a_new_contact(&self) -> FieldErrors {
        if self.may_be_found() { FieldErrors::default() } else { self.missing_if_none_is_found() }
    }

    /// The fields missing to create the contact once it is known that no existing contact matches. A faulty
    /// field is not missing.
    #[must_use]
    pub fn missing_if_none_is_found(&self) -> FieldErrors {
        let can_be_reached = !(self.email.is_missing() && self.phone.is_missing());
        missing(!self.name.is_missing(), can_be_reached)
    }

    /// The reference to look the contact up by when the request has faults. `None` if no field was sent by
    /// which a contact may be found; also if such a field is faulty, since the corrected one may find another
    /// contact.
    #[must_use]
    pub fn to_look_up(&self) -> Option<ContactReference> {
        let is_faulty = matches!(self.id, Field::Faulty)
            || matches!(self.external_id, Field::Faulty)
            || matches!(self.email, Field::Faulty);
        (self.may_be_found() && !is_faulty).then(|| self.clone().into())
    }
}

fn missing(has_name: bool, can_be_reached: bool) -> FieldErrors {
    let mut missing = FieldErrors::default();
    if !has_name {
        missing.add("name", "is required to create a contact");
    }
    if !can_be_reached {
        missing.add("email", "an e-mail address or a phone number is required to create a contact");
        missing.add("phone", "an e-mail address or a phone number is required to create a contact");
    }
    missing
}

impl From<ContactInput> for ContactReference {
    fn from(input: ContactInput) -> Self {
        Self {
            id: input.id.value(),
            external_id: input.external_id.value(),
            email: input.email.value(),
            name: input.name.value(),
            phone: input.phone.value(),
        }
    }
}

impl ContactReference {
    /// Whether the reference has a field to look up an existing contact by.
    #[must_use]
    pub fn can_match(&self) -> bool {
        self.id.is_some() || self.external_id.is_some() || self.email.is_some()
    }

    /// The contact that the reference identifies, of these candidates: by id, else by external id, else by
    /// e-mail address.
    #[must_use]
    pub fn pick(&self, candidates: &[Contact]) -> Option<Contact> {
        let by_external_id =
            |one: &&Contact| self.external_id.is_some() && one.external_id == self.external_id;
        let by_email = |one: &&Contact| self.email.is_some() && one.email == self.email;
        let found = match self.id {
            Some(id) => candidates.iter().find(|one| one.id == id),
            None => candidates.iter().find(by_external_id).or_else(|| candidates.iter().find(by_email)),
        };
        found.cloned()
    }

    /// The fields missing to create a contact from this reference: a name, and an e-mail address or a phone
    /// number.
    #[must_use]
    pub fn missing_for_a_new_contact(&self) -> FieldErrors {
        missing(self.name.is_some(), self.email.is_some() || self.phone.is_some())
    }

    /// The new contact that the reference describes.
    ///
    /// # Errors
    /// The missing fields.
    pub fn into_new_contact(
        self,
        id: ContactId,
        account: AccountId,
        now: OffsetDateTime,
    ) -> Result<Contact, FieldErrors> {
        let missing = self.missing_for_a_new_contact();
        match self.name {
            Some(name) if missing.is_empty() => Ok(Contact {
                id,
                account,
                name,
                email: self.email,
                phone: self.phone,
                external_id: self.external_id,
                address: None,
                created_at: now,
                updated_at: now,
            }),
            _ => Err(missing),
        }
    }
}

#[cfg(test)]
mod tests {
    use kernel::{Id, SingleLine, SystemIds};

    use super::*;

    fn contact(email: Option<&str>, external_id: Option<&str>) -> Contact {
        let (ids, now) = (SystemIds::default(), OffsetDateTime::UNIX_EPOCH);
        Contact {
            id: Id::new(&ids, now),
            account: Id::new(&ids, now),
            name: SingleLine::parse("Ada").unwrap(),
            email: email.map(|email| EmailAddress::parse(email).unwrap()),
            phone: None,
            external_id: external_id.map(|id| SingleLine::parse(id).unwrap()),
            address: None,
            created_at: now,
            updated_at: now,
        }
    }

    #[test]
    fn pick_prefers_id_then_external_id_then_email() {
        let candidates = [
            contact(None, None),
            contact(Some("other@example.com"), None),
            contact(Some("ada@example.com"), None),
            contact(None, Some("A")),
        ];
        let [nothing, other, by_email, by_external_id] = &candidates;
        let email = || by_email.email.clone();
        let external_id = || by_external_id.external_id.clone();
        let id = Some(other.id);
        let picked = |reference: ContactReference| reference.pick(&candidates);
        let none = ContactReference::default();
        assert_eq!(picked(ContactReference { email: email(), ..none.clone() }).as_ref(), Some(by_email));
        let both = ContactReference { email: email(), external_id: external_id(), ..none.clone() };
        assert_eq!(picked(both.clone()).as_ref(), Some(by_external_id));
        assert_eq!(picked(ContactReference { id, ..both }).as_ref(), Some(other));
        for one in
            [ContactReference { id, ..none.clone() }, ContactReference { email: email(), ..none.clone() }]
        {
            assert!(one.can_match());
        }
        // A reference without an address does not match contacts without one.
        assert!(!none.can_match());
        assert_eq!((nothing.email.as_ref(), picked(none)), (None, None));
    }

    #[test]
    fn every_field_that_was_sent_is_part_of_the_reference() {
        let sent = contact(Some("ada@example.com"), Some("A"));
        let (email, external_id) = (sent.email.unwrap(), sent.external_id.unwrap());
        let phone: Phone = SingleLine::parse("1").unwrap();
        let input = ContactInput {
            id: Field::Value(sent.id),
            external_id: Field::Value(external_id.clone()),
            email: Field::Value(email.clone()),
            name: Field::Value(sent.name.clone()),
            phone: Field::Value(phone.clone()),
        };
        let reference = ContactReference {
            id: Some(sent.id),
            external_id: Some(external_id),
            email: Some(email),
            name: Some(sent.name),
            phone: Some(phone),
        };
        assert_eq!(ContactReference::from(input), reference);
        assert!(!ContactReference { name: reference.name, ..ContactReference::default() }.can_match());
    }
}
