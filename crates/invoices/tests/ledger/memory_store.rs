//! An in-memory store with as much as invoicing and the ledger worker need.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use contacts::{Contact, ContactId, ContactReference, Contacts};
use idempotency::{Claim, StoredResponse, StoredResponses, Ticket};
use invoices::ports::Numbers;
use invoices::{
    Invoice, InvoiceData, InvoiceFilter, InvoiceId, InvoiceNumber, InvoiceReads, InvoiceSummary, Invoices,
    InvoicingStore, InvoicingTx, Letterhead, Numbered, OpenCheckouts, PayTokens, Payment, Promises, Stored,
};
use kernel::{
    AccountId, Commit, Cursor, Id, Ids, PageSize, ResultsPage, SingleLine, StoreError, StoreResult,
};
use outbox::{Jobs, MemoryQueue, NewJob};
use testkit::FixedClock;
use time::OffsetDateTime;

/// The store: invoices and ledger tasks.
#[derive(Default)]
pub(crate) struct MemoryStore {
    pub(crate) invoices: Mutex<BTreeMap<InvoiceId, Invoice>>,
    pub(crate) tasks: Arc<MemoryQueue>,
    /// The errors of the next commits.
    pub(crate) commits_fail: Mutex<Vec<StoreError>>,
}

/// A transaction: its writes become visible with its commit.
struct Tx {
    store: Arc<MemoryStore>,
    written: BTreeMap<InvoiceId, Invoice>,
    queued: Vec<NewJob>,
}

/// The store as a port that begins transactions.
pub(crate) struct Store(pub(crate) Arc<MemoryStore>);

#[async_trait]
impl InvoicingStore for Store {
    async fn begin(&self, _account: AccountId) -> StoreResult<Box<dyn InvoicingTx>> {
        Ok(Box::new(Tx { store: self.0.clone(), written: BTreeMap::new(), queued: Vec::new() }))
    }
}

#[async_trait]
impl InvoiceReads for Store {
    async fn get(&self, _: AccountId, id: InvoiceId) -> StoreResult<Option<Invoice>> {
        Ok(self.0.invoices.lock().unwrap().get(&id).cloned())
    }

    async fn list(
        &self,
        _: AccountId,
        _: &InvoiceFilter,
        _: PageSize,
        _: Option<Cursor>,
    ) -> StoreResult<ResultsPage<Invoice>> {
        unreachable!("nobody lists invoices here")
    }

    async fn summaries(
        &self,
        _: AccountId,
        _: &InvoiceFilter,
        _: PageSize,
        _: Option<Cursor>,
    ) -> StoreResult<ResultsPage<InvoiceSummary>> {
        unreachable!("no invoices are listed here")
    }

    async fn letterhead(&self, _: AccountId) -> StoreResult<Letterhead> {
        unreachable!("nobody draws invoices here")
    }
}

#[async_trait]
impl Commit for Tx {
    async fn commit(self: Box<Self>) -> StoreResult<()> {
        if let Some(error) = self.store.commits_fail.lock().unwrap().pop() {
            return Err(error);
        }
        self.store.invoices.lock().unwrap().extend(self.written);
        self.queued.into_iter().for_each(|job| self.store.tasks.put(job));
        Ok(())
    }
}

#[async_trait]
impl OpenCheckouts for Tx {
    async fn expire(&mut self, _: InvoiceId, _: &dyn Ids, _: OffsetDateTime) -> StoreResult<()> {
        Ok(())
    }
}

impl InvoicingTx for Tx {
    fn checkouts(&mut self) -> &mut dyn OpenCheckouts {
        self
    }
    fn invoices(&mut self) -> &mut dyn Invoices {
        self
    }
    fn numbers(&mut self) -> &mut dyn Numbers {
        self
    }
    fn promises(&mut self) -> &mut dyn Promises {
        unreachable!("no promise is made here")
    }
    fn pay_tokens(&mut self) -> &mut dyn PayTokens {
        unreachable!("no token is replaced here")
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
    fn events(&mut self) -> &mut dyn webhooks::Events {
        self
    }
}

#[async_trait]
impl Jobs for Tx {
    async fn queue(&mut self, job: NewJob) -> StoreResult<()> {
        self.queued.push(job);
        Ok(())
    }
}

#[async_trait]
impl Invoices for Tx {
    async fn insert(&mut self, invoice: &Invoice) -> StoreResult<Stored> {
        self.written.insert(invoice.id, invoice.clone());
        Ok(Stored::Done)
    }
    async fn insert_next(&mut self, invoice: &Invoice, prefix: &str) -> StoreResult<Numbered> {
        let taken = self.store.invoices.lock().unwrap().len();
        let number = InvoiceNumber::generated(prefix, u64::try_from(taken).unwrap() + 1);
        let mut data: InvoiceData = (**invoice).clone();
        data.number = number.clone();
        self.insert(&Invoice::from_stored(data)).await?;
        Ok(Numbered::As(number))
    }
    async fn lock(&mut self, id: InvoiceId) -> StoreResult<Option<Invoice>> {
        Ok(self.store.invoices.lock().unwrap().get(&id).cloned())
    }
    async fn update(&mut self, invoice: &Invoice, _: bool) -> StoreResult<Stored> {
        self.insert(invoice).await
    }
    async fn put_paid(&mut self, _: &Invoice, _: &Payment) -> StoreResult<()> {
        unreachable!("nobody pays here")
    }
}

#[async_trait]
impl Numbers for Tx {
    async fn first_free_in_sequence(&mut self, _: &str, _: u64) -> StoreResult<u64> {
        unreachable!("no number is taken here")
    }
    async fn count_created_since(&mut self, _: OffsetDateTime) -> StoreResult<u64> {
        unreachable!("no plan has a limit here")
    }
}

#[async_trait]
impl Contacts for Tx {
    async fn matching(&mut self, _: &ContactReference) -> StoreResult<Vec<Contact>> {
        unreachable!("an invoice stores a copy of its contact")
    }
    async fn claim_and_lock(
        &mut self,
        _: &Ticket,
        reference: &ContactReference,
    ) -> StoreResult<(Claim, Vec<Contact>)> {
        Ok((Claim::Fresh, self.lock_matching(reference).await?))
    }
    async fn lock_matching(&mut self, reference: &ContactReference) -> StoreResult<Vec<Contact>> {
        let ada = reference.id.map(|id| Contact {
            id,
            account: Id::from_uuid(id.uuid()),
            name: SingleLine::parse("Ada").unwrap(),
            email: reference.email.clone(),
            phone: None,
            external_id: None,
            address: None,
            created_at: FixedClock::START,
            updated_at: FixedClock::START,
        });
        Ok(ada.into_iter().collect())
    }
    async fn insert_new(&mut self, _: &Contact) -> StoreResult<bool> {
        Ok(true)
    }
    async fn lock(&mut self, _: ContactId) -> StoreResult<Option<Contact>> {
        unreachable!("no contact is changed here")
    }
    async fn is_erased(&mut self, _: ContactId) -> StoreResult<bool> {
        unreachable!("nothing is sent to a contact here")
    }

    async fn was_erased_since(&mut self, _: ContactId, _: OffsetDateTime) -> StoreResult<bool> {
        unreachable!("nothing is sent to a contact here")
    }
    async fn update(&mut self, _: &Contact, _: &Contact) -> StoreResult<bool> {
        unreachable!("no contact is changed here")
    }
}

#[async_trait]
impl StoredResponses for Tx {
    async fn claim(&mut self, _: &Ticket) -> StoreResult<Claim> {
        Ok(Claim::Fresh)
    }
    async fn store(&mut self, _: &Ticket, _: &StoredResponse) -> StoreResult<()> {
        Ok(())
    }

    async fn rewrite(&mut self, _: &str, _: &idempotency::Rewrite<'_>) -> StoreResult<()> {
        unreachable!("no contact is erased here")
    }
}

#[async_trait]
impl webhooks::Events for Tx {
    async fn publish(
        &mut self,
        _: &webhooks::Event,
        _: &[webhooks::DeliveryId; webhooks::Endpoint::MAX_ENABLED],
    ) -> StoreResult<()> {
        Ok(())
    }
}
