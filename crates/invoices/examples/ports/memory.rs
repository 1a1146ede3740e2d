//! A store in memory that fills the ports of `invoices`, and those of the crates that it builds on.
//!
//! A transaction works on a copy, which COMMIT puts in the place of the original. So a transaction that is
//! dropped changes nothing; of two at once the later one would win, which a real store must not allow. Lists
//! are not filtered: a real store applies the [`InvoiceFilter`].

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use contacts::{Contact, ContactId, ContactReference, Contacts};
use idempotency::{Claim, Fingerprint, IdempotentOutcome, Rewrite, StoredResponse, StoredResponses, Ticket};
use invoices::{
    CreationNeeds, CreationStart, Invoice, InvoiceFilter, InvoiceId, InvoiceNumber, InvoiceReads,
    InvoiceSummary, Invoices, InvoicingStore, InvoicingTx, Letterhead, Numbers, OpenCheckouts, PayToken,
    PayTokens, Payment, Promise, PromiseId, Promises, Stored,
};
use kernel::{AccountId, Commit, Cursor, Ids, PageSize, ResultsPage, StoreError};
use outbox::{Jobs, MemoryQueue, NewJob};
use time::OffsetDateTime;
use uuid::Uuid;
use webhooks::{DeliveryId, Endpoint, Event, Events};

type Result<T> = std::result::Result<T, StoreError>;

/// What is stored, of all accounts.
#[derive(Clone, Default)]
pub(crate) struct Rows {
    pub(crate) contacts: Vec<Contact>,
    pub(crate) invoices: Vec<Invoice>,
    /// The last number of each account's sequence.
    sequences: HashMap<AccountId, u64>,
    responses: HashMap<(AccountId, &'static str, String), (Fingerprint, StoredResponse)>,
    /// For the program's own worker, which sends webhooks after the commit.
    pub(crate) events: Vec<Event>,
}

#[derive(Clone, Default)]
pub(crate) struct Memory {
    rows: Arc<Mutex<Rows>>,
    /// For the workers that send mail and enter invoices in the ledger after the commit.
    pub(crate) jobs: Arc<MemoryQueue>,
    /// The errors with which the next commits fail, the last one first.
    pub(crate) commit_errors: Arc<Mutex<Vec<StoreError>>>,
}

impl Memory {
    pub(crate) fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl InvoicingStore for Memory {
    async fn begin(&self, account: AccountId) -> Result<Box<dyn InvoicingTx>> {
        let rows = self.rows().clone();
        Ok(Box::new(Transaction { memory: self.clone(), rows, queued: Vec::new(), account }))
    }
}

#[async_trait]
impl InvoiceReads for Memory {
    async fn get(&self, account: AccountId, id: InvoiceId) -> Result<Option<Invoice>> {
        let is_it = |invoice: &&Invoice| invoice.id == id && invoice.account == account;
        Ok(self.rows().invoices.iter().find(is_it).cloned())
    }

    async fn numbers(&self, account: AccountId, ids: &[InvoiceId]) -> Result<Vec<(InvoiceId, String)>> {
        let rows = self.rows();
        let wanted = |one: &&Invoice| one.account == account && ids.contains(&one.id);
        Ok(rows.invoices.iter().filter(wanted).map(|one| (one.id, one.number.to_string())).collect())
    }

    async fn list(
        &self,
        account: AccountId,
        _filter: &InvoiceFilter,
        size: PageSize,
        after: Option<Cursor>,
    ) -> Result<ResultsPage<Invoice>> {
        // Ids are in the order of creation.
        let is_after =
            |invoice: &&Invoice| after.is_none_or(|cursor: Cursor| invoice.id.uuid() < cursor.after);
        let mut items: Vec<Invoice> = self
            .rows()
            .invoices
            .iter()
            .rev()
            .filter(|invoice| invoice.account == account)
            .filter(is_after)
            .take(size.get() + 1)
            .cloned()
            .collect();
        let has_more = items.len() > size.get();
        items.truncate(size.get());
        let next = items.last().filter(|_| has_more).map(|last| Cursor { after: last.id.uuid() });
        Ok(ResultsPage { items, next })
    }

    /// For lists on pages, which this program does not have.
    async fn summaries(
        &self,
        _account: AccountId,
        _filter: &InvoiceFilter,
        _size: PageSize,
        _after: Option<Cursor>,
    ) -> Result<ResultsPage<InvoiceSummary>> {
        Ok(ResultsPage { items: Vec::new(), next: None })
    }

    async fn letterhead(&self, _account: AccountId) -> Result<Letterhead> {
        Ok(Letterhead::default())
    }
}

/// A transaction of one account: every query is limited to it.
struct Transaction {
    memory: Memory,
    rows: Rows,
    queued: Vec<NewJob>,
    account: AccountId,
}

impl Transaction {
    fn number_is_taken(&self, number: &InvoiceNumber, but: InvoiceId) -> bool {
        let is_it = |one: &Invoice| one.account == self.account && one.number == *number && one.id != but;
        self.rows.invoices.iter().any(is_it)
    }

    /// Whether another contact of the account has the same e-mail address or identifier.
    fn is_taken(&self, contact: &Contact) -> bool {
        let mut others =
            self.rows.contacts.iter().filter(|one| one.account == self.account && one.id != contact.id);
        others.any(|one| {
            (one.email.is_some() && one.email == contact.email)
                || (one.external_id.is_some() && one.external_id == contact.external_id)
        })
    }

    fn response_key(&self, ticket: &Ticket) -> (AccountId, &'static str, String) {
        (self.account, ticket.operation.name(), ticket.key.as_str().to_owned())
    }
}

#[async_trait]
impl Commit for Transaction {
    async fn commit(self: Box<Self>) -> Result<()> {
        let next_error = self.memory.commit_errors.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(error) = next_error {
            return Err(error);
        }
        *self.memory.rows() = self.rows;
        self.queued.into_iter().for_each(|job| self.memory.jobs.put(job));
        Ok(())
    }
}

impl InvoicingTx for Transaction {
    fn invoices(&mut self) -> &mut dyn Invoices {
        self
    }
    fn numbers(&mut self) -> &mut dyn Numbers {
        self
    }
    fn promises(&mut self) -> &mut dyn Promises {
        self
    }
    fn pay_tokens(&mut self) -> &mut dyn PayTokens {
        self
    }
    fn checkouts(&mut self) -> &mut dyn OpenCheckouts {
        self
    }
    fn contacts(&mut self) -> &mut dyn Contacts {
        self
    }
    fn stored_responses(&mut self) -> &mut dyn StoredResponses {
        self
    }
    fn jobs(&mut self) -> &mut dyn Jobs {
        self
    }
    fn events(&mut self) -> &mut dyn Events {
        self
    }
}

#[async_trait]
impl Invoices for Transaction {
    async fn insert(&mut self, invoice: &Invoice) -> Result<Stored> {
        if self.number_is_taken(&invoice.number, invoice.id) {
            return Ok(Stored::NumberTaken);
        }
        self.rows.invoices.push(invoice.clone());
        Ok(Stored::Done)
    }

    async fn begin_creation(&mut self, needs: &CreationNeeds<'_>) -> Result<CreationStart> {
        let claim = match needs.ticket {
            Some(ticket) => self.claim(ticket).await?,
            None => Claim::Fresh,
        };
        let matching = match needs.contact {
            Some(contact) => self.matching(contact).await?,
            None => Vec::new(),
        };
        let takes_position = needs.takes_position && claim == Claim::Fresh;
        let position = takes_position.then(|| {
            let last = self.rows.sequences.entry(self.account).or_default();
            *last += 1;
            *last
        });
        Ok(CreationStart { claim, matching, position })
    }

    async fn insert_generated(&mut self, invoice: &Invoice) -> Result<()> {
        match Invoices::insert(self, invoice).await? {
            Stored::Done => Ok(()),
            Stored::NumberTaken => Err(StoreError::contended("a caller chose this number")),
        }
    }

    async fn lock(&mut self, id: InvoiceId) -> Result<Option<Invoice>> {
        let is_it = |one: &&Invoice| one.id == id && one.account == self.account;
        Ok(self.rows.invoices.iter().find(is_it).cloned())
    }

    async fn update(&mut self, invoice: &Invoice, _lines_replaced: bool) -> Result<Stored> {
        if self.number_is_taken(&invoice.number, invoice.id) {
            return Ok(Stored::NumberTaken);
        }
        let is_it = |one: &&mut Invoice| one.id == invoice.id && one.account == self.account;
        if let Some(stored) = self.rows.invoices.iter_mut().find(is_it) {
            *stored = invoice.clone();
        }
        Ok(Stored::Done)
    }

    async fn put_paid(&mut self, invoice: &Invoice, _payment: &Payment) -> Result<()> {
        Invoices::update(self, invoice, false).await.map(drop)
    }
}

#[async_trait]
impl Numbers for Transaction {
    async fn first_free_in_sequence(&mut self, prefix: &str, from: u64) -> Result<u64> {
        let is_taken = |n: &u64| {
            let number = InvoiceNumber::generated(prefix, *n);
            let mut own = self.rows.invoices.iter().filter(|one| one.account == self.account);
            own.any(|one| one.number == number)
        };
        let free = (from..).find(|n| !is_taken(n)).unwrap_or(from);
        self.rows.sequences.insert(self.account, free);
        Ok(free)
    }

    async fn count_created_since(&mut self, instant: OffsetDateTime) -> Result<u64> {
        let own = self.rows.invoices.iter().filter(|one| one.account == self.account);
        let count = own.filter(|one| one.created_at >= instant).count();
        Ok(u64::try_from(count).unwrap_or(u64::MAX))
    }
}

#[async_trait]
impl Contacts for Transaction {
    async fn matching(&mut self, reference: &ContactReference) -> Result<Vec<Contact>> {
        let matches = |contact: &&Contact| {
            contact.account == self.account
                && (reference.id == Some(contact.id)
                    || (reference.external_id.is_some() && reference.external_id == contact.external_id)
                    || (reference.email.is_some() && reference.email == contact.email))
        };
        Ok(self.rows.contacts.iter().filter(matches).cloned().collect())
    }

    async fn lock_matching(&mut self, reference: &ContactReference) -> Result<Vec<Contact>> {
        self.matching(reference).await
    }

    async fn claim_and_lock(
        &mut self,
        ticket: &Ticket,
        reference: &ContactReference,
    ) -> Result<(Claim, Vec<Contact>)> {
        Ok((self.claim(ticket).await?, self.matching(reference).await?))
    }

    async fn insert_new(&mut self, contact: &Contact) -> Result<bool> {
        if self.is_taken(contact) {
            return Ok(false);
        }
        self.rows.contacts.push(contact.clone());
        Ok(true)
    }

    async fn lock(&mut self, id: ContactId) -> Result<Option<Contact>> {
        let is_it = |one: &&Contact| one.id == id && one.account == self.account;
        Ok(self.rows.contacts.iter().find(is_it).cloned())
    }

    async fn is_erased(&mut self, _id: ContactId) -> Result<bool> {
        Ok(false)
    }

    async fn was_erased_since(&mut self, _id: ContactId, _: OffsetDateTime) -> Result<bool> {
        Ok(false)
    }

    async fn update(&mut self, _before: &Contact, contact: &Contact) -> Result<bool> {
        if self.is_taken(contact) {
            return Ok(false);
        }
        let is_it = |one: &&mut Contact| one.id == contact.id && one.account == self.account;
        if let Some(stored) = self.rows.contacts.iter_mut().find(is_it) {
            *stored = contact.clone();
        }
        Ok(true)
    }
}

#[async_trait]
impl StoredResponses for Transaction {
    async fn claim(&mut self, ticket: &Ticket) -> Result<Claim> {
        Ok(match self.rows.responses.get(&self.response_key(ticket)) {
            None => Claim::Fresh,
            Some((sent, stored)) if *sent == ticket.fingerprint => {
                Claim::Taken(IdempotentOutcome::Replayed(stored.clone()))
            }
            Some((_, stored)) => Claim::Taken(IdempotentOutcome::KeyReused(stored.clone())),
        })
    }

    async fn store(&mut self, ticket: &Ticket, response: &StoredResponse) -> Result<()> {
        let key = self.response_key(ticket);
        self.rows.responses.insert(key, (ticket.fingerprint, response.clone()));
        Ok(())
    }

    /// Contacts are not erased here.
    async fn rewrite(&mut self, _contact: &str, _rewrite: &Rewrite<'_>) -> Result<()> {
        Ok(())
    }
}

#[async_trait]
impl Jobs for Transaction {
    async fn queue(&mut self, job: NewJob) -> Result<()> {
        self.queued.push(job);
        Ok(())
    }
}

#[async_trait]
impl Events for Transaction {
    async fn publish(&mut self, event: &Event, _ids: &[DeliveryId; Endpoint::MAX_ENABLED]) -> Result<()> {
        self.rows.events.push(event.clone());
        Ok(())
    }
}

/// Promises to pay are not recorded: without a payment page, no payer makes one.
#[async_trait]
impl Promises for Transaction {
    async fn latest(&mut self, _invoice: InvoiceId) -> Result<Option<Promise>> {
        Ok(None)
    }
    async fn insert(&mut self, _promise: &Promise) -> Result<()> {
        Ok(())
    }
    async fn supersede(&mut self, _id: PromiseId, _at: OffsetDateTime) -> Result<()> {
        Ok(())
    }
    async fn withdraw(&mut self, _invoice: InvoiceId, _message: Uuid, _at: OffsetDateTime) -> Result<bool> {
        Ok(false)
    }
    async fn restore(&mut self, _invoice: InvoiceId) -> Result<()> {
        Ok(())
    }
}

/// Without a payment page no link is replaced.
#[async_trait]
impl PayTokens for Transaction {
    async fn insert_replaced(
        &mut self,
        _invoice: InvoiceId,
        _token: &PayToken,
        _at: OffsetDateTime,
    ) -> Result<()> {
        Ok(())
    }
}

/// Without a payment gateway no checkout is open.
#[async_trait]
impl OpenCheckouts for Transaction {
    async fn expire(&mut self, _invoice: InvoiceId, _ids: &dyn Ids, _now: OffsetDateTime) -> Result<()> {
        Ok(())
    }
}
