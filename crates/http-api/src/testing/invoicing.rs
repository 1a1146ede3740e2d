//! What transactions of invoices do on the store in memory.

use async_trait::async_trait;
use contacts::Contacts;
use idempotency::StoredResponses;
use invoices::{
    Inserted, Invoice, InvoiceData, InvoiceId, InvoiceNumber, Invoices, InvoicingStore,
    InvoicingTx, LedgerQueue, LedgerTask, Letterhead, Letterheads, Numbered, Numbers, Payment,
};
use kernel::{AccountId, StoreError};
use mail::{OutgoingMail, QueuedMail};
use time::OffsetDateTime;

use super::store::{Store, letterhead};
use super::transaction::Tx;

#[async_trait]
impl InvoicingStore for Store {
    async fn begin(&self, account: AccountId) -> Result<Box<dyn InvoicingTx>, StoreError> {
        let mut tx = self.draft().await?;
        tx.account = Some(account);
        Ok(tx)
    }
}

impl InvoicingTx for Tx {
    fn invoices(&mut self) -> &mut dyn Invoices {
        self
    }

    fn numbers(&mut self) -> &mut dyn Numbers {
        self
    }

    fn letterheads(&mut self) -> &mut dyn Letterheads {
        self
    }

    fn outgoing(&mut self) -> &mut dyn OutgoingMail {
        self
    }

    fn ledger(&mut self) -> &mut dyn LedgerQueue {
        self
    }

    fn events(&mut self) -> &mut dyn webhooks::Events {
        self
    }

    fn contacts(&mut self) -> &mut dyn Contacts {
        self
    }

    fn stored_responses(&mut self) -> &mut dyn StoredResponses {
        self
    }
}

#[async_trait]
impl Numbers for Tx {
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
}

#[async_trait]
impl Invoices for Tx {
    async fn insert(&mut self, invoice: &Invoice) -> Result<Inserted, StoreError> {
        let mut invoices = self.draft.invoices.iter();
        if invoices.any(|other| other.number == invoice.number) {
            return Ok(Inserted::NumberTaken);
        }
        self.draft.invoices.push(invoice.clone());
        Ok(Inserted::Done)
    }

    async fn insert_next(
        &mut self,
        invoice: &Invoice,
        prefix: &str,
    ) -> Result<Numbered, StoreError> {
        let next = self.draft.next_number;
        self.draft.next_number += 1;
        let mut data: InvoiceData = (**invoice).clone();
        data.number = InvoiceNumber::generated(prefix, next);
        let number = data.number.clone();
        Ok(match self.insert(&Invoice::from_stored(data)).await? {
            Inserted::Done => Numbered::As(number),
            Inserted::NumberTaken => Numbered::Taken(next),
        })
    }

    async fn lock(&mut self, id: InvoiceId) -> Result<Option<Invoice>, StoreError> {
        let mut invoices = self.draft.invoices.iter();
        let held = invoices.find(|one| Some(one.account) == self.account && one.id == id);
        Ok(held.cloned())
    }

    async fn update(&mut self, invoice: &Invoice, _: bool) -> Result<Inserted, StoreError> {
        let mut invoices = self.draft.invoices.iter();
        if invoices.any(|other| other.id != invoice.id && other.number == invoice.number) {
            return Ok(Inserted::NumberTaken);
        }
        let mut invoices = self.draft.invoices.iter_mut();
        if let Some(place) = invoices.find(|one| one.id == invoice.id) {
            *place = invoice.clone();
        }
        Ok(Inserted::Done)
    }

    async fn add_payment(&mut self, _: InvoiceId, _: &Payment) -> Result<(), StoreError> {
        Ok(())
    }
}

#[async_trait]
impl Letterheads for Tx {
    async fn letterhead(&mut self) -> Result<Letterhead, StoreError> {
        Ok(letterhead())
    }
}

#[async_trait]
impl OutgoingMail for Tx {
    async fn queue(&mut self, mail: &QueuedMail) -> Result<(), StoreError> {
        self.draft.mails.push(mail.clone());
        Ok(())
    }
}

#[async_trait]
impl LedgerQueue for Tx {
    async fn queue(&mut self, _: &LedgerTask) -> Result<(), StoreError> {
        Ok(())
    }
}

#[async_trait]
impl webhooks::Events for Tx {
    async fn publish(
        &mut self,
        _: &webhooks::Event,
        _: &[webhooks::DeliveryId; webhooks::Endpoint::MOST_ENABLED],
    ) -> Result<(), StoreError> {
        Ok(())
    }
}
