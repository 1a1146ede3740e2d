//! Transactions on the store in memory: a draft that the commit puts in place.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use contacts::{Contact, ContactReference, Contacts, ContactsStore, ContactsTx};
use idempotency::{
    Claim, IdempotentOutcome, StoredResponse, StoredResponseStore, StoredResponses,
    StoredResponsesTx, Ticket,
};
use kernel::{AccountId, Commit, StoreError};
use time::OffsetDateTime;

use super::store::{Kept, Mood, Store};

pub(super) struct Tx {
    pub(super) account: Option<AccountId>,
    place: Arc<Mutex<Kept>>,
    pub(super) draft: Kept,
}

impl Store {
    pub(super) async fn draft(&self) -> Result<Box<Tx>, StoreError> {
        let draft = self.look().await?;
        let place = self.0.clone();
        Ok(Box::new(Tx {
            account: None,
            place,
            draft,
        }))
    }
}

#[async_trait]
impl ContactsStore for Store {
    async fn begin(&self, _: AccountId) -> Result<Box<dyn ContactsTx>, StoreError> {
        Ok(self.draft().await?)
    }
}

#[async_trait]
impl StoredResponseStore for Store {
    async fn begin(&self, _: AccountId) -> Result<Box<dyn StoredResponsesTx>, StoreError> {
        Ok(self.draft().await?)
    }

    async fn forget_before(&self, _: OffsetDateTime, _: u32) -> Result<u64, StoreError> {
        Ok(0)
    }
}

#[async_trait]
impl Commit for Tx {
    async fn commit(self: Box<Self>) -> Result<(), StoreError> {
        *self.place.lock().unwrap() = self.draft;
        Ok(())
    }
}

impl ContactsTx for Tx {
    fn contacts(&mut self) -> &mut dyn Contacts {
        self
    }

    fn stored_responses(&mut self) -> &mut dyn StoredResponses {
        self
    }
}

impl StoredResponsesTx for Tx {
    fn stored_responses(&mut self) -> &mut dyn StoredResponses {
        self
    }
}

fn name(ticket: &Ticket) -> String {
    format!("{} {}", ticket.endpoint.name(), ticket.key.as_str())
}

#[async_trait]
impl StoredResponses for Tx {
    async fn claim(&mut self, ticket: &Ticket) -> Result<Claim, StoreError> {
        if self.draft.mood == Mood::InFlight {
            return Ok(Claim::Taken(IdempotentOutcome::InFlight));
        }
        let name = name(ticket);
        let found = self.draft.answers.iter().find(|(kept, ..)| *kept == name);
        Ok(match found {
            None => Claim::Fresh,
            Some((_, fingerprint, answer)) if *fingerprint == ticket.fingerprint => {
                Claim::Taken(IdempotentOutcome::Replayed(answer.clone()))
            }
            Some((.., answer)) => Claim::Taken(IdempotentOutcome::KeyReused(answer.clone())),
        })
    }

    async fn keep(&mut self, ticket: &Ticket, answer: &StoredResponse) -> Result<(), StoreError> {
        let entry = (name(ticket), ticket.fingerprint, answer.clone());
        self.draft.answers.push(entry);
        Ok(())
    }
}

#[async_trait]
impl Contacts for Tx {
    async fn matching(&mut self, reference: &ContactReference) -> Result<Vec<Contact>, StoreError> {
        let contacts = self.draft.contacts.clone();
        let picked = reference.pick(contacts);
        Ok(picked.into_iter().collect())
    }

    async fn insert_new(&mut self, contact: &Contact) -> Result<bool, StoreError> {
        self.draft.contacts.push(contact.clone());
        Ok(true)
    }
}
