//! Transactions on the store in memory: a draft that the commit puts in place.

use std::sync::{Arc, Mutex};

use access::NewKey;
use async_trait::async_trait;
use contacts::{Contact, ContactReference, Contacts, ContactsStore, ContactsTx};
use idempotency::{Answer, AnswerStore, Answers, AnswersTx, Claim, Settled, Ticket};
use invoices::{Inserted, Invoice, InvoiceNumber, Invoices, InvoicingStore, InvoicingTx};
use kernel::{AccountId, Commit, EmailAddress, Line, PartnerScope, StoreError};
use partner_accounts::{
    Account, Accounts, InsertedAccount, KeyInfo, PaymentSlug, ProvisioningStore, ProvisioningTx,
};
use time::OffsetDateTime;

use super::store::{Kept, Mood, Store};

struct Tx {
    place: Arc<Mutex<Kept>>,
    draft: Kept,
}

impl Store {
    async fn draft(&self) -> Result<Box<Tx>, StoreError> {
        let draft = self.look().await?;
        let place = self.0.clone();
        Ok(Box::new(Tx { place, draft }))
    }
}

#[async_trait]
impl ContactsStore for Store {
    async fn begin(&self, _: AccountId) -> Result<Box<dyn ContactsTx>, StoreError> {
        Ok(self.draft().await?)
    }
}

#[async_trait]
impl InvoicingStore for Store {
    async fn begin(&self, _: AccountId) -> Result<Box<dyn InvoicingTx>, StoreError> {
        Ok(self.draft().await?)
    }
}

#[async_trait]
impl ProvisioningStore for Store {
    async fn begin(&self, _: PartnerScope) -> Result<Box<dyn ProvisioningTx>, StoreError> {
        Ok(self.draft().await?)
    }
}

#[async_trait]
impl AnswerStore for Store {
    async fn begin(&self, _: AccountId) -> Result<Box<dyn AnswersTx>, StoreError> {
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

    fn answers(&mut self) -> &mut dyn Answers {
        self
    }
}

impl InvoicingTx for Tx {
    fn invoices(&mut self) -> &mut dyn Invoices {
        self
    }

    fn contacts(&mut self) -> &mut dyn Contacts {
        self
    }

    fn answers(&mut self) -> &mut dyn Answers {
        self
    }
}

impl ProvisioningTx for Tx {
    fn accounts(&mut self) -> &mut dyn Accounts {
        self
    }
}

impl AnswersTx for Tx {
    fn answers(&mut self) -> &mut dyn Answers {
        self
    }
}

fn name(ticket: &Ticket) -> String {
    format!("{} {}", ticket.endpoint.name(), ticket.key.as_str())
}

#[async_trait]
impl Answers for Tx {
    async fn claim(&mut self, ticket: &Ticket) -> Result<Claim, StoreError> {
        if self.draft.mood == Mood::InFlight {
            return Ok(Claim::Settled(Settled::InFlight));
        }
        let name = name(ticket);
        let found = self.draft.answers.iter().find(|(kept, ..)| *kept == name);
        Ok(match found {
            None => Claim::Fresh,
            Some((_, fingerprint, answer)) if *fingerprint == ticket.fingerprint => {
                Claim::Settled(Settled::Replayed(answer.clone()))
            }
            Some((.., answer)) => Claim::Settled(Settled::KeyReused(answer.clone())),
        })
    }

    async fn keep(&mut self, ticket: &Ticket, answer: &Answer) -> Result<(), StoreError> {
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

#[async_trait]
impl Invoices for Tx {
    async fn next_in_sequence(&mut self) -> Result<u64, StoreError> {
        let next = self.draft.next_number;
        self.draft.next_number += 1;
        Ok(next)
    }

    async fn first_free_in_sequence(&mut self, prefix: &str, from: u64) -> Result<u64, StoreError> {
        let taken = |n: &u64| {
            let number = InvoiceNumber::generated(prefix, *n);
            self.draft.invoices.iter().any(|one| one.number == number)
        };
        let free = (from..).find(|n| !taken(n)).unwrap();
        self.draft.next_number = free + 1;
        Ok(free)
    }

    async fn count_created_since(&mut self, instant: OffsetDateTime) -> Result<u64, StoreError> {
        let invoices = self.draft.invoices.iter();
        let count = invoices
            .filter(|invoice| invoice.created_at >= instant)
            .count();
        Ok(u64::try_from(count).unwrap())
    }

    async fn insert(&mut self, invoice: &Invoice) -> Result<Inserted, StoreError> {
        let mut invoices = self.draft.invoices.iter();
        if invoices.any(|other| other.number == invoice.number) {
            return Ok(Inserted::NumberTaken);
        }
        self.draft.invoices.push(invoice.clone());
        Ok(Inserted::Done)
    }
}

#[async_trait]
impl Accounts for Tx {
    async fn with_external_id(
        &mut self,
        external_id: &Line<255>,
    ) -> Result<Option<Account>, StoreError> {
        let mut accounts = self.draft.accounts.iter();
        let found = accounts.find(|account| account.external_id.as_ref() == Some(external_id));
        Ok(found.cloned())
    }

    async fn email_is_taken(&mut self, email: &EmailAddress) -> Result<bool, StoreError> {
        let mut accounts = self.draft.accounts.iter();
        Ok(accounts.any(|account| account.email == *email))
    }

    async fn taken_slugs(&mut self, names: &[PaymentSlug]) -> Result<Vec<PaymentSlug>, StoreError> {
        let slugs = self
            .draft
            .accounts
            .iter()
            .map(|account| &account.payment_slug);
        Ok(slugs.filter(|slug| names.contains(slug)).cloned().collect())
    }

    async fn insert_new(&mut self, account: &Account) -> Result<InsertedAccount, StoreError> {
        self.draft.accounts.push(account.clone());
        Ok(InsertedAccount::Done)
    }

    async fn put_key(&mut self, account: AccountId, key: &NewKey) -> Result<bool, StoreError> {
        let mut accounts = self.draft.accounts.iter_mut();
        let Some(account) = accounts.find(|one| one.id == account) else {
            return Ok(false);
        };
        account.key = Some(KeyInfo::from(key));
        Ok(true)
    }
}
