//! What invoices need from the store.

use async_trait::async_trait;
use contacts::{Contact, Contacts};
use idempotency::StoredResponses;
use kernel::{AccountId, Commit, Cursor, Ids, Page, PageSize, StoreError, TimeZone};
use outbox::Jobs;
use time::{Date, OffsetDateTime};
use webhooks::Events;

use crate::audited::AuditedInvoice;
use crate::filter::InvoiceFilter;
use crate::invoice::{Invoice, InvoiceId};
use crate::invoice_for_payer::InvoiceForPayer;
use crate::letterhead::Letterhead;
use crate::number::InvoiceNumber;
use crate::page_view::PageView;
use crate::pay_token::PayToken;
use crate::payment::Payment;
use crate::promise::{Promise, PromiseId};
use crate::status::Status;
use crate::summary::InvoiceSummary;

/// The result of inserting an invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inserted {
    /// It was inserted with its lines.
    Done,
    /// The account has another invoice with its number: nothing was changed, and the transaction goes on.
    NumberTaken,
}

/// The result of inserting an invoice under the next number of the sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Numbered {
    /// It was inserted with its lines under this number.
    As(InvoiceNumber),
    /// The number of this place in the sequence was chosen for another invoice of the account: nothing was
    /// inserted, and the transaction goes on, with the sequence behind that place.
    Taken(u64),
}

/// The sequence of numbers of the transaction's account.
#[async_trait]
pub trait Numbers: Send {
    /// Takes the first number of the sequence, from `from` on, that no invoice of the account has with this
    /// prefix in front (written as [`InvoiceNumber::generated`](crate::InvoiceNumber::generated) writes it).
    /// The sequence goes on behind it.
    async fn first_free_in_sequence(&mut self, prefix: &str, from: u64) -> Result<u64, StoreError>;

    /// Counts the account's invoices that were created at or after an instant. Holds the account's sequence
    /// first, so that no other creation can slip in between the count and the commit.
    async fn count_created_since(&mut self, instant: OffsetDateTime) -> Result<u64, StoreError>;
}

/// The invoices of the transaction's account.
#[async_trait]
pub trait Invoices: Send {
    /// Inserts an invoice with its lines.
    async fn insert(&mut self, invoice: &Invoice) -> Result<Inserted, StoreError>;

    /// Takes the next number of the account's sequence, beginning with 1, and inserts an invoice with its
    /// lines under it: in place of its own number it gets the one that [`InvoiceNumber::generated`] writes
    /// with this prefix. The sequence is held until the transaction ends, and a roll-back gives the number
    /// back, so that none is ever given out twice or left out.
    ///
    /// It is one call rather than two because concurrent creations of one account wait for the sequence: the
    /// holder needs one statement.
    async fn insert_next(&mut self, invoice: &Invoice, prefix: &str) -> Result<Numbered, StoreError>;

    /// One invoice with its lines and payments, locked until the transaction ends: another writer of it
    /// waits, and then sees the changes of this one.
    async fn lock(&mut self, id: InvoiceId) -> Result<Option<Invoice>, StoreError>;

    /// Writes a held invoice back, and its lines too when they were replaced. Payments are not touched.
    /// [`Inserted::NumberTaken`] when its new number is another invoice's: then nothing was changed, and the
    /// transaction goes on.
    async fn update(&mut self, invoice: &Invoice, lines_replaced: bool) -> Result<Inserted, StoreError>;

    /// Stores the latest payment of a held invoice, and writes the invoice back. It may be written with the
    /// commit only: the transaction neither locks nor updates an invoice after it, and pays no second one.
    async fn put_paid(&mut self, invoice: &Invoice, payment: &Payment) -> Result<(), StoreError>;
}

/// The promises of the transaction's account.
#[async_trait]
pub trait Promises: Send {
    /// The promise for a locked invoice that no later one took the place of, open or not.
    async fn latest(&mut self, invoice: InvoiceId) -> Result<Option<Promise>, StoreError>;

    /// Inserts a promise for a locked invoice. The one before is superseded already.
    async fn insert(&mut self, promise: &Promise) -> Result<(), StoreError>;

    /// Notes when a later promise took the place of one.
    async fn supersede(&mut self, id: PromiseId, at: OffsetDateTime) -> Result<(), StoreError>;
}

/// The replaced tokens of the transaction's account.
#[async_trait]
pub trait PayTokens: Send {
    /// Remembers a token that leads to its locked invoice no longer.
    async fn remember_replaced(
        &mut self,
        invoice: InvoiceId,
        token: &PayToken,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;
}

/// The checkouts at gateways in which payers may be paying invoices of the transaction's account.
#[async_trait]
pub trait OpenCheckouts: Send {
    /// Queues the expiry of the open checkouts of a locked invoice: payers would pay what is not due any
    /// more.
    async fn expire(
        &mut self,
        invoice: InvoiceId,
        ids: &dyn Ids,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;
}

/// The transaction that invoicing needs.
pub trait InvoicingTx: Commit {
    /// The account's invoices.
    fn invoices(&mut self) -> &mut dyn Invoices;
    /// The account's sequence of numbers.
    fn numbers(&mut self) -> &mut dyn Numbers;
    /// The account's promises.
    fn promises(&mut self) -> &mut dyn Promises;
    /// The account's replaced tokens.
    fn pay_tokens(&mut self) -> &mut dyn PayTokens;
    /// The open checkouts of the account's invoices.
    fn checkouts(&mut self) -> &mut dyn OpenCheckouts;
    /// The account's contacts.
    fn contacts(&mut self) -> &mut dyn Contacts;
    /// The account's stored response.
    fn stored_responses(&mut self) -> &mut dyn StoredResponses;
    /// The account's background jobs.
    fn jobs(&mut self) -> &mut dyn Jobs;
    /// The account's events.
    fn events(&mut self) -> &mut dyn Events;
    /// Whether the commit writes an audit entry of what is done to an invoice.
    fn is_audited(&self) -> bool;
    /// Completes that entry.
    fn complete_audit(&mut self, change: AuditedInvoice);
}

/// Begins transactions on invoices.
#[async_trait]
pub trait InvoicingStore: Send + Sync {
    /// Begins a transaction for an account. Every query in it is limited to that account.
    async fn begin(&self, account: AccountId) -> Result<Box<dyn InvoicingTx>, StoreError>;
}

/// Reads invoices outside any transaction.
#[async_trait]
pub trait InvoiceReads: Send + Sync {
    /// One invoice of the account, with its lines and payments.
    async fn get(&self, account: AccountId, id: InvoiceId) -> Result<Option<Invoice>, StoreError>;

    /// One page of the account's invoices that meet the filter, newest first by creation (ids descending),
    /// each with its lines and payments; beginning after the cursor. The number of round trips does not
    /// depend on the size of the page.
    async fn list(
        &self,
        account: AccountId,
        filter: &InvoiceFilter,
        size: PageSize,
        after: Option<Cursor>,
    ) -> Result<Page<Invoice>, StoreError>;

    /// The same page without lines and payments.
    async fn summaries(
        &self,
        account: AccountId,
        filter: &InvoiceFilter,
        size: PageSize,
        after: Option<Cursor>,
    ) -> Result<Page<InvoiceSummary>, StoreError>;

    /// The account's letterhead.
    async fn letterhead(&self, account: AccountId) -> Result<Letterhead, StoreError>;
}

/// An account as its payment page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayeeAccount {
    /// The account.
    pub id: AccountId,
    /// Its letterhead.
    pub letterhead: Letterhead,
    /// Whether it is switched on.
    pub is_active: bool,
}

/// An invoice that may be mailed to its contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailableInvoice {
    /// An invoice in any state, drafts too.
    pub invoice: Invoice,
    /// Its contact as it is now, not as it was on issue.
    pub contact: Contact,
}

/// Reads for the readers of payment pages.
#[async_trait]
pub trait PayerReads: Send + Sync {
    /// The invoice with this token, with its lines and payments, its account's letterhead and switches, its
    /// latest promise, the bank details that are in force now and whether there ever was a gateway. It is
    /// looked up within the account that the token names, in one round trip. Drafts are found too: the domain
    /// decides what is shown.
    async fn by_pay_token(
        &self,
        token: &PayToken,
        now: OffsetDateTime,
    ) -> Result<Option<InvoiceForPayer>, StoreError>;

    /// The name of the account's payment page, when a token led to an invoice of the account once and was
    /// replaced.
    async fn replaced_pay_token(&self, token: &PayToken) -> Result<Option<String>, StoreError>;

    /// The account whose payment page has this name.
    async fn account_by_slug(&self, slug: &str) -> Result<Option<PayeeAccount>, StoreError>;

    /// The account's invoice with this number, if it has a contact, while the account is switched on and has
    /// its communications on.
    async fn mailable_by_number(
        &self,
        account: AccountId,
        number: &InvoiceNumber,
    ) -> Result<Option<MailableInvoice>, StoreError>;
}

/// How many days from today the payers of an account may promise to pay within.
#[async_trait]
pub trait PromiseLimits: Send + Sync {
    /// The limit of an account; `None` when there is no such account.
    async fn promise_days(&self, account: AccountId) -> Result<Option<u16>, StoreError>;

    /// Sets the limit of an account.
    async fn set_promise_days(&self, account: AccountId, days: u16) -> Result<(), StoreError>;
}

/// What happened on the payment page of an invoice.
#[async_trait]
pub trait PaymentPageHistory: Send + Sync {
    /// Keeps a view, unless one of its invoice and day is kept already.
    async fn keep_view(&self, view: &PageView) -> Result<(), StoreError>;

    /// The kept views of an invoice, the first first.
    async fn views(&self, account: AccountId, invoice: InvoiceId) -> Result<Vec<PageView>, StoreError>;

    /// The promises for an invoice, the first first.
    async fn promises(&self, account: AccountId, invoice: InvoiceId) -> Result<Vec<Promise>, StoreError>;
}

/// An invoice whose status may change with the date, and what that depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its position among the candidates.
    pub key: CandidateKey,
    /// SCHEDULED or UNPAID.
    pub status: Status,
    /// The invoice date.
    pub invoice_date: Date,
    /// The due date.
    pub due_date: Date,
    /// The time zone of the account, as it is set now.
    pub time_zone: TimeZone,
}

/// The order in which candidates are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CandidateKey {
    /// The day on which the status changes ([`Status::changes_on`]).
    pub status_changes_on: Date,
    /// The account of the invoice.
    pub account: AccountId,
    /// The invoice.
    pub id: InvoiceId,
}

/// A change of status on a day that has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusChange {
    /// The invoice as it was read.
    pub candidate: Candidate,
    /// The new status, UNPAID or OVERDUE.
    pub status: Status,
    /// The day of the next change.
    pub status_changes_on: Option<Date>,
}

/// Invoices of all accounts whose status changes with the date.
#[cfg_attr(test, mockall::automock)]
#[async_trait]
pub trait Calendar: Send + Sync {
    /// Reads at most `most` invoices whose status changes on `latest` or earlier, in the order of their keys,
    /// beginning after `after`. Locks nothing. The cost depends on how many there are, not on the number of
    /// all invoices.
    ///
    /// # Errors
    /// A [`StoreError`].
    async fn candidates(
        &self,
        latest: Date,
        after: Option<CandidateKey>,
        most: u32,
    ) -> Result<Vec<Candidate>, StoreError>;

    /// Applies changes, in one transaction, to those invoices that still have the status and the dates of
    /// their candidate, and returns how many. Invoices that another transaction has locked are left to the
    /// next run.
    ///
    /// # Errors
    /// A [`StoreError`]; then nothing changed.
    async fn change_statuses(&self, changes: &[StatusChange], now: OffsetDateTime)
    -> Result<u64, StoreError>;
}
