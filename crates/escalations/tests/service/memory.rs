//! An in-memory store of one account. A transaction works on a copy, which its commit stores.

use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use contacts::{Contact, ContactId, ContactReads, ExternalId, SearchText};
use escalations::{
    Escalation, EscalationId, EscalationPosition, EscalationReads, EscalationStatus, EscalationType,
    Escalations, EscalationsStore, EscalationsTx,
};
use invoices::{Invoice, InvoiceFilter, InvoiceId, InvoiceReads, InvoiceSummary, Letterhead};
use kernel::{AccountId, Commit, Cursor, EmailAddress, PageSize, ResultsPage, StoreError, StoreResult};
use mail::{NoticeRecipient, SilencedNotices};
use outbox::{Jobs, NewJob};
use webhooks::{DeliveryId, Endpoint, Event, Events};

/// The content of the store.
#[derive(Clone)]
pub(crate) struct Kept {
    pub(crate) escalations: Vec<Escalation>,
    pub(crate) events: Vec<Event>,
    pub(crate) invoices: Vec<Invoice>,
    pub(crate) contacts: Vec<Contact>,
    pub(crate) jobs: Vec<NewJob>,
    pub(crate) silenced: SilencedNotices,
    contended: u32,
}

/// The in-memory store.
pub(crate) struct Memory {
    account: AccountId,
    kept: Arc<Mutex<Kept>>,
}

struct Tx {
    known: bool,
    account: AccountId,
    draft: Kept,
    place: Arc<Mutex<Kept>>,
}

impl Memory {
    pub(crate) fn of_account(account: AccountId) -> Self {
        let kept = Kept {
            escalations: Vec::new(),
            events: Vec::new(),
            invoices: Vec::new(),
            contacts: Vec::new(),
            jobs: Vec::new(),
            silenced: SilencedNotices::NONE,
            contended: 0,
        };
        Self { account, kept: Arc::new(Mutex::new(kept)) }
    }

    pub(crate) fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap()
    }

    /// Makes the next commits fail by contention.
    pub(crate) fn contend(&self, times: u32) {
        self.kept().contended = times;
    }
}

#[async_trait]
impl EscalationsStore for Memory {
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn EscalationsTx>> {
        Ok(Box::new(Tx {
            known: account == self.account,
            account,
            draft: self.kept().clone(),
            place: self.kept.clone(),
        }))
    }
}

#[async_trait]
impl EscalationReads for Memory {
    async fn get(&self, account: AccountId, id: EscalationId) -> StoreResult<Option<Escalation>> {
        let kept = self.kept();
        let mut all = kept.escalations.iter();
        Ok(all.find(|one| one.account == account && one.id == id).cloned())
    }

    async fn list(
        &self,
        account: AccountId,
        after: Option<EscalationPosition>,
        limit: usize,
    ) -> StoreResult<Vec<Escalation>> {
        let after = after.unwrap_or(EscalationPosition::beginning(EscalationStatus::Open));
        let rank = |status| usize::from(status == EscalationStatus::Resolved);
        let is_behind = |one: &&Escalation| {
            let (part, of) = (rank(one.status()), rank(after.status));
            one.account == account && (part > of || (part == of && one.id < after.after))
        };
        let mut found: Vec<_> = self.kept().escalations.iter().filter(is_behind).cloned().collect();
        found.sort_by_key(|one| (rank(one.status()), std::cmp::Reverse(one.id)));
        found.truncate(limit);
        Ok(found)
    }
}

#[async_trait]
impl Commit for Tx {
    async fn commit(self: Box<Self>) -> StoreResult<()> {
        let mut place = self.place.lock().unwrap();
        if place.contended > 0 {
            place.contended -= 1;
            return Err(StoreError::contended("another transaction"));
        }
        *place = self.draft;
        Ok(())
    }
}

impl EscalationsTx for Tx {
    fn escalations(&mut self) -> &mut dyn Escalations {
        self
    }

    fn events(&mut self) -> &mut dyn Events {
        self
    }

    fn jobs(&mut self) -> &mut dyn Jobs {
        self
    }
}

#[async_trait]
impl Jobs for Tx {
    async fn queue(&mut self, job: NewJob) -> StoreResult<()> {
        self.draft.jobs.push(job);
        Ok(())
    }
}

#[async_trait]
impl Escalations for Tx {
    async fn lock_preferences(&mut self, _contact: ContactId) -> StoreResult<()> {
        Ok(())
    }

    async fn is_erased(&mut self, _contact: ContactId) -> StoreResult<bool> {
        Ok(false)
    }

    async fn open_of_contact(
        &mut self,
        contact: ContactId,
        escalation_type: EscalationType,
    ) -> StoreResult<Option<EscalationId>> {
        let is_one = |one: &&Escalation| {
            one.contact == Some(contact)
                && one.escalation_type == escalation_type
                && one.status() == EscalationStatus::Open
        };
        Ok(self.draft.escalations.iter().find(is_one).map(|one| one.id))
    }

    async fn owner(&mut self) -> StoreResult<Option<NoticeRecipient>> {
        Ok(self.known.then(|| NoticeRecipient {
            account: self.account,
            email: EmailAddress::parse("owner@example.com").unwrap(),
            silenced: self.draft.silenced,
        }))
    }

    async fn insert(&mut self, escalation: &Escalation) -> StoreResult<()> {
        self.draft.escalations.push(escalation.clone());
        Ok(())
    }

    async fn lock(&mut self, id: EscalationId) -> StoreResult<Option<Escalation>> {
        let mut all = self.draft.escalations.iter();
        let held = all.find(|one| one.account == self.account && one.id == id);
        Ok(held.cloned())
    }

    async fn update(&mut self, escalation: &Escalation) -> StoreResult<()> {
        let mut all = self.draft.escalations.iter_mut();
        if let Some(place) = all.find(|one| one.id == escalation.id) {
            *place = escalation.clone();
        }
        Ok(())
    }
}

#[async_trait]
impl Events for Tx {
    async fn publish(&mut self, event: &Event, _: &[DeliveryId; Endpoint::MAX_ENABLED]) -> StoreResult<()> {
        self.draft.events.push(event.clone());
        Ok(())
    }
}

#[async_trait]
impl ContactReads for Memory {
    async fn get(&self, account: AccountId, id: ContactId) -> StoreResult<Option<Contact>> {
        let kept = self.kept();
        let mut all = kept.contacts.iter();
        Ok(all.find(|one| one.account == account && one.id == id).cloned())
    }

    async fn look_up(
        &self,
        _: AccountId,
        _: Option<&EmailAddress>,
        _: Option<&ExternalId>,
    ) -> StoreResult<Option<Contact>> {
        Err(StoreError::Failed("contacts are not looked up in this test".into()))
    }

    async fn list(
        &self,
        _: AccountId,
        _: Option<&SearchText>,
        _: PageSize,
        _: Option<Cursor>,
    ) -> StoreResult<ResultsPage<Contact>> {
        Err(StoreError::Failed("contacts are not listed in this test".into()))
    }
}

#[async_trait]
impl InvoiceReads for Memory {
    async fn get(&self, account: AccountId, id: InvoiceId) -> StoreResult<Option<Invoice>> {
        let kept = self.kept();
        let mut all = kept.invoices.iter();
        Ok(all.find(|one| one.account == account && one.id == id).cloned())
    }

    async fn list(
        &self,
        _: AccountId,
        _: &InvoiceFilter,
        _: PageSize,
        _: Option<Cursor>,
    ) -> StoreResult<ResultsPage<Invoice>> {
        Err(StoreError::Failed("invoices are not listed in this test".into()))
    }

    async fn summaries(
        &self,
        _: AccountId,
        _: &InvoiceFilter,
        _: PageSize,
        _: Option<Cursor>,
    ) -> StoreResult<ResultsPage<InvoiceSummary>> {
        Err(StoreError::Failed("invoices are not listed in this test".into()))
    }

    async fn letterhead(&self, _: AccountId) -> StoreResult<Letterhead> {
        Err(StoreError::Failed("no letterhead is read in this test".into()))
    }
}
