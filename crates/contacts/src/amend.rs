//! Amending a contact.

use kernel::{
    AccountScope, EmailAddress, Field, FieldErrors, SingleLine, StoreError, StoreResult, Version,
    retry_contended,
};

use crate::contact::{Contact, ContactId, ContactName, Phone, PostalAddress};
use crate::ports::Contacts;
use crate::reference::ContactReference;
use crate::service::ContactService;

const TAKEN: &str = "another contact has this e-mail address";

/// The fields of a contact as they were sent. Fields left out stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContactAmendment {
    /// Its name.
    pub name: Field<ContactName>,
    /// Its e-mail address.
    pub email: Field<EmailAddress>,
    /// Its phone number.
    pub phone: Field<Phone>,
    /// The parts of its postal address.
    pub address: AddressInput,
}

/// The parts of a postal address as they were sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressInput {
    /// Street and number.
    pub line1: Field<SingleLine<200>>,
    /// The second line, for additions to the street.
    pub line2: Field<SingleLine<200>>,
    /// City or suburb.
    pub city: Field<SingleLine<200>>,
    /// State, province or region.
    pub state: Field<SingleLine<200>>,
    /// Postal code.
    pub postal_code: Field<SingleLine<200>>,
    /// Country.
    pub country: Field<SingleLine<200>>,
}

/// Why a contact was not amended.
#[derive(Debug, thiserror::Error)]
pub enum AmendContactError {
    /// Fields have faults.
    #[error("the amendment is not valid")]
    Invalid(#[source] FieldErrors),
    /// The account has no such contact.
    #[error("the account has no such contact")]
    NotFound,
    /// The contact was changed since the version that the caller wants to amend.
    #[error("the contact was changed meanwhile")]
    Changed,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ContactService {
    /// Amends a contact that still has this version. `faults` are those found in parsing the fields. Issued
    /// invoices keep their copy of the contact unchanged.
    ///
    /// # Errors
    /// An [`AmendContactError`]; then nothing was changed.
    pub async fn amend(
        &self,
        scope: &AccountScope,
        id: ContactId,
        version: &Version,
        amendment: ContactAmendment,
        faults: FieldErrors,
    ) -> Result<Contact, AmendContactError> {
        retry_contended(|| self.try_to_amend(scope, id, version, &amendment, &faults)).await
    }

    async fn try_to_amend(
        &self,
        scope: &AccountScope,
        id: ContactId,
        version: &Version,
        amendment: &ContactAmendment,
        faults: &FieldErrors,
    ) -> Result<Contact, AmendContactError> {
        let mut tx = self.store.begin(scope.id).await?;
        let before = tx.contacts().lock(id).await?.ok_or(AmendContactError::NotFound)?;
        if before.version() != *version {
            return Err(AmendContactError::Changed);
        }
        let amended = match before.amended(amendment.clone(), faults.clone()) {
            Ok(amended) => amended,
            Err(mut faults) => {
                if let Field::Value(email) = &amendment.email
                    && is_taken(tx.contacts(), id, email).await?
                {
                    faults.add("email", TAKEN);
                }
                return Err(AmendContactError::Invalid(faults));
            }
        };
        let contact = Contact { updated_at: self.clock.now(), ..amended };
        if !tx.contacts().update(&before, &contact).await? {
            return Err(AmendContactError::Invalid(FieldErrors::one("email", TAKEN)));
        }
        tx.commit().await?;
        Ok(contact)
    }
}

/// Whether another contact of the account has this e-mail address.
async fn is_taken(contacts: &mut dyn Contacts, id: ContactId, email: &EmailAddress) -> StoreResult<bool> {
    let reference = ContactReference { email: Some(email.clone()), ..ContactReference::default() };
    Ok(contacts.matching(&reference).await?.iter().any(|found| found.id != id))
}

impl Contact {
    /// The contact with amended fields. It must keep a name, and an e-mail address or a phone number.
    fn amended(&self, amendment: ContactAmendment, mut faults: FieldErrors) -> Result<Self, FieldErrors> {
        if matches!(amendment.name, Field::Null) {
            faults.add("name", "is required");
        }
        let has_faulty_reach =
            matches!(amendment.email, Field::Faulty) || matches!(amendment.phone, Field::Faulty);
        let email = amendment.email.or_current(self.email.as_ref());
        let phone = amendment.phone.or_current(self.phone.as_ref());
        if email.is_none() && phone.is_none() && !has_faulty_reach {
            faults.add("email", "an e-mail address or a phone number is required");
            faults.add("phone", "an e-mail address or a phone number is required");
        }
        faults.into_result()?;
        let address = amendment.address.amending(self.address.clone().unwrap_or_default());
        Ok(Self {
            name: amendment.name.value().unwrap_or_else(|| self.name.clone()),
            email,
            phone,
            address: (address != PostalAddress::default()).then_some(address),
            ..self.clone()
        })
    }
}

impl AddressInput {
    fn amending(self, current: PostalAddress) -> PostalAddress {
        PostalAddress {
            line1: self.line1.or_current(current.line1.as_ref()),
            line2: self.line2.or_current(current.line2.as_ref()),
            city: self.city.or_current(current.city.as_ref()),
            state: self.state.or_current(current.state.as_ref()),
            postal_code: self.postal_code.or_current(current.postal_code.as_ref()),
            country: self.country.or_current(current.country.as_ref()),
        }
    }
}

#[cfg(test)]
mod tests {
    use kernel::{Id, SystemIds};
    use time::OffsetDateTime;

    use super::*;

    fn contact() -> Contact {
        let now = OffsetDateTime::UNIX_EPOCH;
        Contact {
            id: Id::new(&SystemIds::default(), now),
            account: Id::new(&SystemIds::default(), now),
            name: SingleLine::parse("Ada").unwrap(),
            email: Some(EmailAddress::parse("ada@example.com").unwrap()),
            phone: None,
            external_id: Some(SingleLine::parse("A").unwrap()),
            address: Some(PostalAddress {
                city: Some(SingleLine::parse("London").unwrap()),
                ..PostalAddress::default()
            }),
            created_at: now,
            updated_at: now,
        }
    }

    fn faults_of(amendment: ContactAmendment) -> Vec<String> {
        let faults = contact().amended(amendment, FieldErrors::default()).unwrap_err();
        faults.iter().map(|fault| fault.field.clone()).collect()
    }

    #[test]
    fn what_is_left_out_stays_and_null_clears() {
        let amendment = ContactAmendment {
            phone: Field::Value(SingleLine::parse("1").unwrap()),
            email: Field::Null,
            address: AddressInput { city: Field::Null, ..AddressInput::default() },
            ..ContactAmendment::default()
        };
        let amended = contact().amended(amendment, FieldErrors::default()).unwrap();
        assert_eq!((amended.name.as_str(), amended.email, amended.address), ("Ada", None, None));
        assert!(amended.external_id.is_some());
        let unchanged = contact().amended(ContactAmendment::default(), FieldErrors::default()).unwrap();
        assert_eq!(unchanged.address, contact().address);
    }

    #[test]
    fn what_is_sent_is_taken_and_a_phone_number_is_enough_to_reach_it() {
        let phone = || Field::Value(SingleLine::parse("1").unwrap());
        let name = Field::Value(SingleLine::parse("Ada King").unwrap());
        let amendment = ContactAmendment { name, phone: phone(), ..ContactAmendment::default() };
        let amended = contact().amended(amendment, FieldErrors::default()).unwrap();
        assert_eq!((amended.name.as_str(), &amended.phone), ("Ada King", &phone().value()));
        assert_eq!(amended.email, contact().email);
        let only_phone = Contact { email: None, phone: amended.phone, ..contact() };
        assert!(only_phone.amended(ContactAmendment::default(), FieldErrors::default()).is_ok());
        // A field with a fault is not reported as missing as well.
        let faulty = ContactAmendment { email: Field::Faulty, ..ContactAmendment::default() };
        let told = FieldErrors::one("email", "is not an e-mail address");
        assert_eq!(contact().amended(faulty, told.clone()), Err(told));
    }

    #[test]
    fn name_and_a_way_to_reach_it_are_required() {
        assert_eq!(faults_of(ContactAmendment { name: Field::Null, ..Default::default() }), ["name"]);
        assert_eq!(
            faults_of(ContactAmendment { email: Field::Null, ..Default::default() }),
            ["email", "phone"]
        );
    }
}
