//! What invoices need from the store.

use async_trait::async_trait;
use contacts::Contacts;
use idempotency::Answers;
use kernel::{AccountId, Commit, Cursor, Page, PageSize, StoreError};
use time::OffsetDateTime;

use crate::filter::InvoiceFilter;
use crate::invoice::{Invoice, InvoiceId};

/// What inserting an invoice came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inserted {
    /// It is there, with its lines.
    Done,
    /// The account has another invoice with its number: nothing was changed, and the transaction goes on.
    NumberTaken,
}

/// The invoices of the transaction's account.
#[async_trait]
pub trait Invoices: Send {
    /// Takes the next number of the account's sequence, beginning with 1. The sequence is held until the transaction ends, and a
    /// roll-back gives the number back, so that none is ever given out twice or left out.
    async fn next_in_sequence(&mut self) -> Result<u64, StoreError>;

    /// Takes the first number of the sequence, from `from` on, that no invoice of the account has with this prefix in front
    /// (written as [`InvoiceNumber::generated`](crate::InvoiceNumber::generated) writes it). The sequence goes on behind it.
    async fn first_free_in_sequence(&mut self, prefix: &str, from: u64) -> Result<u64, StoreError>;

    /// Counts the account's invoices that were created at or after an instant. Holds the account's sequence first, so that no
    /// other creation can slip in between the count and the commit.
    async fn count_created_since(&mut self, instant: OffsetDateTime) -> Result<u64, StoreError>;

    /// Inserts an invoice with its lines.
    async fn insert(&mut self, invoice: &Invoice) -> Result<Inserted, StoreError>;
}

/// The transaction that invoicing needs.
pub trait InvoicingTx: Commit {
    /// The account's invoices.
    fn invoices(&mut self) -> &mut dyn Invoices;
    /// The account's contacts.
    fn contacts(&mut self) -> &mut dyn Contacts;
    /// The account's kept answers.
    fn answers(&mut self) -> &mut dyn Answers;
}

/// Begins transactions on invoices.
#[async_trait]
pub trait InvoicingStore: Send + Sync {
    /// Begins a transaction for an account. Every query in it is held to that account.
    async fn begin(&self, account: AccountId) -> Result<Box<dyn InvoicingTx>, StoreError>;
}

/// Reads invoices outside any transaction.
#[async_trait]
pub trait InvoiceReads: Send + Sync {
    /// One invoice of the account, with its lines and payments.
    async fn get(&self, account: AccountId, id: InvoiceId) -> Result<Option<Invoice>, StoreError>;

    /// One page of the account's invoices that meet the filter, newest first by creation (ids descending), each with its lines and
    /// payments; beginning after the cursor. The number of round trips does not depend on the size of the page.
    async fn list(
        &self,
        account: AccountId,
        filter: &InvoiceFilter,
        size: PageSize,
        after: Option<Cursor>,
    ) -> Result<Page<Invoice>, StoreError>;
}
