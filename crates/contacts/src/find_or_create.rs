//! Finding or creating: concurrent calls with the same reference result in one contact.

use idempotency::{Claim, IdempotentOutcome, IdempotentResponse};
use kernel::{AccountId, AccountScope, FieldErrors, Id, Ids, StoreError, retry_contended};
use time::OffsetDateTime;

use crate::contact::Contact;
use crate::ports::Contacts;
use crate::reference::{ContactInput, ContactReference};
use crate::service::ContactService;

/// The contact that a reference found or created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundOrCreated {
    /// The contact.
    pub contact: Contact,
    /// Whether it was created by this call.
    pub created: bool,
}

/// Why no contact was found or created.
#[derive(Debug, thiserror::Error)]
pub enum FindOrCreateError {
    /// Fields have faults, or fields for creating a contact are missing. Their paths are relative to the
    /// reference.
    #[error("the contact reference is not valid")]
    Invalid(#[source] FieldErrors),
    /// The account has no contact with this id.
    #[error("the account has no contact with this id")]
    NotFound,
    /// A concurrent request gave the e-mail address or the external id to another contact, which cannot be
    /// found either.
    #[error("another contact with this e-mail address or external id is being changed")]
    Conflict,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ContactService {
    /// Checks the fields of a reference. `faults` are those found in parsing them. Only if there are any, the
    /// contact is looked up, so that one response also names the fields missing to create it; otherwise
    /// [`ContactService::find_or_create`] finds out.
    ///
    /// # Errors
    /// [`FindOrCreateError::Invalid`], or a failure of the store.
    pub async fn check(
        &self,
        scope: &AccountScope,
        input: ContactInput,
        mut faults: FieldErrors,
    ) -> Result<ContactReference, FindOrCreateError> {
        faults.add_all(input.missing_for_a_new_contact());
        if faults.is_empty() {
            return Ok(input.into());
        }
        // An unknown id is no field error.
        if let Some(reference) = input.to_look_up().filter(|reference| reference.id.is_none()) {
            let mut tx = self.store.begin(scope.id).await?;
            let matching = tx.contacts().matching(&reference).await?;
            if reference.pick(&matching).is_none() {
                faults.add_all(input.missing_if_none_is_found());
            }
        }
        Err(FindOrCreateError::Invalid(faults))
    }

    /// Finds or creates a contact and returns the response, once for each idempotency key. With a ticket, an
    /// error may hide a stored response: see [`IdempotentResponse`].
    ///
    /// # Errors
    /// A [`FindOrCreateError`]; then nothing was changed.
    pub async fn find_or_create(
        &self,
        scope: &AccountScope,
        reference: &ContactReference,
        idempotent_response: &IdempotentResponse<'_, FoundOrCreated>,
    ) -> Result<IdempotentOutcome, FindOrCreateError> {
        retry_contended(|| self.attempt(scope, reference, idempotent_response)).await
    }

    async fn attempt(
        &self,
        scope: &AccountScope,
        reference: &ContactReference,
        idempotent_response: &IdempotentResponse<'_, FoundOrCreated>,
    ) -> Result<IdempotentOutcome, FindOrCreateError> {
        let mut tx = self.store.begin(scope.id).await?;
        let matching = match idempotent_response.ticket {
            Some(ticket) => match tx.contacts().claim_and_lock(ticket, reference).await? {
                (Claim::Taken(settled), _) => return Ok(settled),
                (Claim::Fresh, matching) => matching,
            },
            None => tx.contacts().matching(reference).await?,
        };
        let now = self.clock.now();
        let found = find_or_create(tx.contacts(), scope.id, reference, &matching, &*self.ids, now).await?;
        let answer = (idempotent_response.present)(&found);
        if let Some(ticket) = idempotent_response.ticket {
            tx.stored_responses().store(ticket, &answer).await?;
        }
        tx.commit().await?;
        Ok(IdempotentOutcome::Fresh(answer))
    }
}

/// Resolves a reference inside a transaction (contract, "POST /contacts", resolution order). `matching` are
/// the contacts that match it.
///
/// # Errors
/// A [`FindOrCreateError`]; then nothing was changed.
pub async fn find_or_create(
    contacts: &mut dyn Contacts,
    account: AccountId,
    reference: &ContactReference,
    matching: &[Contact],
    ids: &dyn Ids,
    now: OffsetDateTime,
) -> Result<FoundOrCreated, FindOrCreateError> {
    if let Some(contact) = reference.pick(matching) {
        return Ok(FoundOrCreated { contact, created: false });
    }
    if reference.id.is_some() {
        return Err(FindOrCreateError::NotFound);
    }
    let contact = reference
        .clone()
        .into_new_contact(Id::new(ids, now), account, now)
        .map_err(FindOrCreateError::Invalid)?;
    if contacts.insert_new(&contact).await? {
        return Ok(FoundOrCreated { contact, created: true });
    }
    // Another transaction inserted the contact first and has committed, so that the reference finds it.
    let matching = contacts.lock_matching(reference).await?;
    let contact = reference.pick(&matching).ok_or(FindOrCreateError::Conflict)?;
    Ok(FoundOrCreated { contact, created: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::ContactId;
    use async_trait::async_trait;
    use idempotency::Ticket;
    use kernel::{EmailAddress, SingleLine, StoreResult, SystemIds};
    use time::macros::datetime;

    const NOW: OffsetDateTime = datetime!(2026-11-20 02:09:06 UTC);

    /// Contacts in a vector; `concurrent` is what another transaction commits just before the first insert.
    #[derive(Default)]
    struct Kept {
        contacts: Vec<Contact>,
        concurrent: Option<Contact>,
    }

    #[async_trait]
    impl Contacts for Kept {
        async fn matching(&mut self, reference: &ContactReference) -> StoreResult<Vec<Contact>> {
            let matches = |contact: &&Contact| {
                reference.id == Some(contact.id)
                    || (reference.external_id.is_some() && contact.external_id == reference.external_id)
                    || (reference.email.is_some() && contact.email == reference.email)
            };
            Ok(self.contacts.iter().filter(matches).cloned().collect())
        }

        async fn lock_matching(&mut self, reference: &ContactReference) -> StoreResult<Vec<Contact>> {
            self.matching(reference).await
        }

        async fn claim_and_lock(
            &mut self,
            _: &Ticket,
            _: &ContactReference,
        ) -> StoreResult<(Claim, Vec<Contact>)> {
            unreachable!("no request has a key here")
        }

        async fn insert_new(&mut self, contact: &Contact) -> StoreResult<bool> {
            if let Some(concurrent) = self.concurrent.take() {
                self.contacts.push(concurrent);
                return Ok(false);
            }
            self.contacts.push(contact.clone());
            Ok(true)
        }

        async fn lock(&mut self, _: ContactId) -> StoreResult<Option<Contact>> {
            unreachable!("a contact that is found is not changed")
        }

        async fn is_erased(&mut self, _: ContactId) -> StoreResult<bool> {
            unreachable!("nothing is sent to a contact here")
        }

        async fn was_erased_since(&mut self, _: ContactId, _: OffsetDateTime) -> StoreResult<bool> {
            unreachable!("nothing is sent to a contact here")
        }

        async fn update(&mut self, _: &Contact, _: &Contact) -> StoreResult<bool> {
            unreachable!("a contact that is found is not changed")
        }
    }

    fn account() -> AccountId {
        Id::new(&SystemIds::default(), NOW)
    }

    fn contact(name: &str, email: Option<&str>, external_id: Option<&str>) -> Contact {
        Contact {
            id: Id::new(&SystemIds::default(), NOW),
            account: account(),
            name: SingleLine::parse(name).unwrap(),
            email: email.map(|email| EmailAddress::parse(email).unwrap()),
            phone: None,
            external_id: external_id.map(|id| SingleLine::parse(id).unwrap()),
            address: None,
            created_at: NOW,
            updated_at: NOW,
        }
    }

    fn reference(name: Option<&str>, email: Option<&str>, external_id: Option<&str>) -> ContactReference {
        ContactReference {
            name: name.map(|name| SingleLine::parse(name).unwrap()),
            email: email.map(|email| EmailAddress::parse(email).unwrap()),
            external_id: external_id.map(|id| SingleLine::parse(id).unwrap()),
            ..ContactReference::default()
        }
    }

    async fn resolve(
        kept: &mut Kept,
        reference: &ContactReference,
    ) -> Result<FoundOrCreated, FindOrCreateError> {
        let matching = kept.matching(reference).await.unwrap();
        find_or_create(kept, account(), reference, &matching, &SystemIds::default(), NOW).await
    }

    #[tokio::test]
    async fn id_precedes_external_id_and_external_id_precedes_email() {
        let (ada, grace) = (
            contact("Ada", Some("ada@example.com"), Some("A")),
            contact("Grace", Some("grace@example.com"), Some("G")),
        );
        let mut kept = Kept { contacts: vec![ada.clone(), grace.clone()], concurrent: None };
        let mut wanted = reference(None, Some("ADA@example.com"), Some("G"));
        assert_eq!(resolve(&mut kept, &wanted).await.unwrap().contact, grace);
        wanted.external_id = Some(SingleLine::parse("unknown").unwrap());
        assert_eq!(resolve(&mut kept, &wanted).await.unwrap().contact, ada);
        wanted.id = Some(grace.id);
        assert_eq!(resolve(&mut kept, &wanted).await.unwrap().contact, grace);
        wanted.id = Some(Id::new(&SystemIds::default(), NOW));
        assert!(matches!(resolve(&mut kept, &wanted).await, Err(FindOrCreateError::NotFound)));
    }

    #[tokio::test]
    async fn a_new_contact_needs_a_name_and_a_way_to_reach_it() {
        let mut kept = Kept::default();
        for (wanted, missing) in [
            (reference(None, Some("ada@example.com"), None), vec!["name"]),
            (reference(Some("Ada"), None, Some("A")), vec!["email", "phone"]),
            (ContactReference::default(), vec!["name", "email", "phone"]),
        ] {
            let Err(FindOrCreateError::Invalid(faults)) = resolve(&mut kept, &wanted).await else {
                panic!("{wanted:?}")
            };
            assert_eq!(faults.iter().map(|fault| fault.field.as_str()).collect::<Vec<_>>(), missing);
        }
        assert!(kept.contacts.is_empty());
    }

    #[tokio::test]
    async fn a_concurrent_insert_is_found() {
        let concurrent = contact("Ada", Some("ada@example.com"), None);
        let mut kept = Kept { contacts: vec![], concurrent: Some(concurrent.clone()) };
        let found = resolve(&mut kept, &reference(Some("Ada"), Some("Ada@Example.com"), None)).await.unwrap();
        assert_eq!(found, FoundOrCreated { contact: concurrent, created: false });
        let vanished = contact("Eve", Some("eve@example.com"), None);
        let mut kept = Kept { contacts: vec![], concurrent: Some(vanished) };
        let lost = resolve(&mut kept, &reference(Some("Ada"), Some("ada@example.com"), None)).await;
        assert!(matches!(lost, Err(FindOrCreateError::Conflict)));
    }
}
