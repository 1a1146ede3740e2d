//! The ports of invoicing to the store.

use async_trait::async_trait;
use contacts::{Contact, ContactReference, Contacts};
use idempotency::{Claim, StoredResponses, Ticket};
use kernel::{AccountId, Commit, Cursor, Ids, PageSize, ResultsPage, StoreResult, TimeZone};
use outbox::Jobs;
use time::{Date, OffsetDateTime};
use uuid::Uuid;
use webhooks::Events;

use crate::filter::InvoiceFilter;
use crate::invoice::{Invoice, InvoiceId};
use crate::invoice_for_payer::InvoiceForPayer;
use crate::letterhead::Letterhead;
use crate::number::InvoiceNumber;
use crate::page_view::PageView;
use crate::pay_token::PayToken;
use crate::payment::Payment;
use crate::promise::{Promise, PromiseId};
use crate::status::InvoiceStatus;
use crate::summary::InvoiceSummary;

/// The result of inserting or updating an invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// The invoice was stored.
    Done,
    /// Another invoice of the account has the number: nothing was changed, and the transaction continues.
    NumberTaken,
}

/// What the creation of an invoice looks up and locks first.
#[derive(Debug, Clone, Copy, Default)]
pub struct CreationNeeds<'a> {
    /// The idempotency key to claim.
    pub ticket: Option<&'a Ticket>,
    /// The contacts to find and lock.
    pub contact: Option<&'a ContactReference>,
    /// Whether the next position of the account's sequence of numbers is taken.
    pub takes_position: bool,
}

/// What was found and locked for the creation of an invoice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreationStart {
    /// The claim of the key; [`Claim::Fresh`] without a key. Unless it is fresh, there is nothing else.
    pub claim: Claim,
    /// The contacts that match the reference.
    pub matching: Vec<Contact>,
    /// The position of the sequence that was taken. The sequence begins with 1.
    pub position: Option<u64>,
}

/// The sequence of numbers of the transaction's account.
#[async_trait]
pub trait Numbers: Send {
    /// Takes the first position of the sequence, from `from` on, whose number with this prefix no invoice of
    /// the account has (written as by [`InvoiceNumber::generated`](crate::InvoiceNumber::generated)). The
    /// sequence continues after it.
    async fn first_free_in_sequence(&mut self, prefix: &str, from: u64) -> StoreResult<u64>;

    /// Counts the account's invoices created at or after an instant. Locks the account's sequence first, so
    /// that no other creation happens between the count and the commit.
    async fn count_created_since(&mut self, instant: OffsetDateTime) -> StoreResult<u64>;
}

/// The invoices of the transaction's account.
#[async_trait]
pub trait Invoices: Send {
    /// Inserts an invoice with its lines under a number that the caller chose.
    async fn insert(&mut self, invoice: &Invoice) -> StoreResult<Stored>;

    /// [`StoredResponses::claim`] and [`Contacts::lock_matching`] in one round trip, which also takes the
    /// next position of the account's sequence if the claim is fresh. The sequence stays locked until the
    /// transaction ends, and a rollback returns the position, so that none is used twice or skipped. (A
    /// cluster takes the position in a second round trip.)
    async fn begin_creation(&mut self, needs: &CreationNeeds<'_>) -> StoreResult<CreationStart>;

    /// Inserts an invoice with its lines under a number of the sequence, which no invoice is known to have.
    /// An implementation may defer the write to the commit: after this call the transaction reads no
    /// invoice. When another invoice has the number after all, this call or the commit fails by contention
    /// ([`kernel::is_contended`]).
    async fn insert_generated(&mut self, invoice: &Invoice) -> StoreResult<()>;

    /// One invoice with its lines and payments, locked until the transaction ends: a concurrent writer waits
    /// and then sees the changes of this transaction.
    async fn lock(&mut self, id: InvoiceId) -> StoreResult<Option<Invoice>>;

    /// Updates a locked invoice, and its lines too if they were replaced. Payments are not changed.
    /// [`Stored::NumberTaken`] when another invoice has the new number: then nothing was changed, and the
    /// transaction continues.
    async fn update(&mut self, invoice: &Invoice, lines_replaced: bool) -> StoreResult<Stored>;

    /// Stores the latest payment of a locked invoice, and updates the invoice. An implementation may defer
    /// the write to the commit: after this call the transaction neither locks nor updates an invoice, nor
    /// stores a second payment.
    async fn put_paid(&mut self, invoice: &Invoice, payment: &Payment) -> StoreResult<()>;
}

/// The promises of the transaction's account.
#[async_trait]
pub trait Promises: Send {
    /// The promise for a locked invoice that is not superseded, open or not. It is not always the one that
    /// was inserted last: a promise may be superseded when it is inserted.
    async fn latest(&mut self, invoice: InvoiceId) -> StoreResult<Option<Promise>>;

    /// Inserts a promise for a locked invoice. The caller has superseded the previous one.
    async fn insert(&mut self, promise: &Promise) -> StoreResult<()>;

    /// Records when a later promise replaced this one, or it was withdrawn.
    async fn supersede(&mut self, id: PromiseId, at: OffsetDateTime) -> StoreResult<()>;

    /// Withdraws the promises for a locked invoice that were read from a message, superseded or not: all get
    /// `withdrawn_at`, and the one in force is superseded too. `false` if there are none.
    async fn withdraw(&mut self, invoice: InvoiceId, message: Uuid, at: OffsetDateTime) -> StoreResult<bool>;

    /// Restores the promise for a locked invoice that was superseded last and was not withdrawn, if there is
    /// one. The caller has found that no other is in force.
    async fn restore(&mut self, invoice: InvoiceId) -> StoreResult<()>;
}

/// The replaced tokens of the transaction's account.
#[async_trait]
pub trait PayTokens: Send {
    /// Inserts the former token of a locked invoice.
    async fn insert_replaced(
        &mut self,
        invoice: InvoiceId,
        token: &PayToken,
        at: OffsetDateTime,
    ) -> StoreResult<()>;
}

/// The gateway checkouts in which payers may be paying invoices of the transaction's account.
#[async_trait]
pub trait OpenCheckouts: Send {
    /// Queues the expiry of a locked invoice's open checkouts, so that payers do not pay what is no longer
    /// due.
    async fn expire(&mut self, invoice: InvoiceId, ids: &dyn Ids, now: OffsetDateTime) -> StoreResult<()>;
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
    /// The account's stored responses.
    fn stored_responses(&mut self) -> &mut dyn StoredResponses;
    /// The account's background jobs.
    fn jobs(&mut self) -> &mut dyn Jobs;
    /// The account's events.
    fn events(&mut self) -> &mut dyn Events;
}

/// Begins transactions on invoices.
#[async_trait]
pub trait InvoicingStore: Send + Sync {
    /// Begins a transaction for an account. Every query in it is limited to that account.
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn InvoicingTx>>;
}

/// Reads invoices outside any transaction.
#[async_trait]
pub trait InvoiceReads: Send + Sync {
    /// One invoice of the account, with its lines and payments.
    async fn get(&self, account: AccountId, id: InvoiceId) -> StoreResult<Option<Invoice>>;

    /// The numbers of those of these invoices that the account has, in any order.
    async fn numbers(&self, account: AccountId, ids: &[InvoiceId]) -> StoreResult<Vec<(InvoiceId, String)>>;

    /// One page of the account's invoices that meet the filter, newest first by creation (ids descending),
    /// each with its lines and payments, starting after the cursor. The number of round trips is independent
    /// of the size of the page.
    async fn list(
        &self,
        account: AccountId,
        filter: &InvoiceFilter,
        size: PageSize,
        after: Option<Cursor>,
    ) -> StoreResult<ResultsPage<Invoice>>;

    /// The same page without lines and payments.
    async fn summaries(
        &self,
        account: AccountId,
        filter: &InvoiceFilter,
        size: PageSize,
        after: Option<Cursor>,
    ) -> StoreResult<ResultsPage<InvoiceSummary>>;

    /// The account's letterhead.
    async fn letterhead(&self, account: AccountId) -> StoreResult<Letterhead>;
}

/// An account as its payment page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayeeAccount {
    /// The account.
    pub id: AccountId,
    /// Its letterhead.
    pub letterhead: Letterhead,
    /// Whether the account is active.
    pub is_active: bool,
}

/// An invoice that may be mailed to its contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailableInvoice {
    /// An invoice of any status, including drafts.
    pub invoice: Invoice,
    /// Its contact's present state, not the copy taken on issue.
    pub contact: Contact,
}

/// Queries for the readers of payment pages.
#[async_trait]
pub trait PayerReads: Send + Sync {
    /// The invoice with this token, with its lines and payments, its account's letterhead and switches, its
    /// latest promise, the bank details now in force and whether there ever was a gateway. It is looked up
    /// within the account in the token, in one round trip. Drafts are found too: the domain decides what is
    /// shown.
    async fn by_pay_token(
        &self,
        token: &PayToken,
        now: OffsetDateTime,
    ) -> StoreResult<Option<InvoiceForPayer>>;

    /// The name of the account's payment page, if the token once led to an invoice of the account and was
    /// replaced.
    async fn replaced_pay_token(&self, token: &PayToken) -> StoreResult<Option<String>>;

    /// The account whose payment page has this name.
    async fn account_by_slug(&self, slug: &str) -> StoreResult<Option<PayeeAccount>>;

    /// The account's invoice with this number, if it has a contact and the account is active with
    /// communications enabled.
    async fn mailable_by_number(
        &self,
        account: AccountId,
        number: &InvoiceNumber,
    ) -> StoreResult<Option<MailableInvoice>>;
}

/// How many days from today the payers of an account may promise to pay within.
#[async_trait]
pub trait PromiseLimits: Send + Sync {
    /// The limit of an account; zero when there is no such account.
    async fn promise_days(&self, account: AccountId) -> StoreResult<u16>;
}

/// What happened on the payment page of an invoice.
#[async_trait]
pub trait PaymentPageHistory: Send + Sync {
    /// Records a view, unless a view of its invoice and day is stored already.
    async fn record_view(&self, view: &PageView) -> StoreResult<()>;

    /// The stored views of an invoice, oldest first.
    async fn views(&self, account: AccountId, invoice: InvoiceId) -> StoreResult<Vec<PageView>>;

    /// The promises for an invoice, oldest first.
    async fn promises(&self, account: AccountId, invoice: InvoiceId) -> StoreResult<Vec<Promise>>;
}

/// An invoice whose status may change with the date, and the values that decide it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusCandidate {
    /// Its position among the candidates.
    pub key: CandidateKey,
    /// SCHEDULED or UNPAID.
    pub status: InvoiceStatus,
    /// Before this date, in the time zone below, it is SCHEDULED.
    pub invoice_date: Date,
    /// After this date, in the time zone below, it is OVERDUE.
    pub due_date: Date,
    /// The present time zone of the account.
    pub time_zone: TimeZone,
}

/// The sort key of candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CandidateKey {
    /// The day on which the status changes ([`InvoiceStatus::changes_on`]).
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
    pub candidate: StatusCandidate,
    /// The new status, UNPAID or OVERDUE.
    pub status: InvoiceStatus,
    /// The day of the next change.
    pub status_changes_on: Option<Date>,
}

/// Invoices of all accounts whose status changes with the date.
#[cfg_attr(test, mockall::automock)]
#[async_trait]
pub trait DueDateStore: Send + Sync {
    /// Reads at most `limit` invoices whose status changes on `latest` or earlier, ordered by key, starting
    /// after `after`. Locks nothing. The cost depends on the number of these invoices, not of all.
    async fn candidates(
        &self,
        latest: Date,
        after: Option<CandidateKey>,
        limit: u32,
    ) -> StoreResult<Vec<StatusCandidate>>;

    /// Applies changes, in one transaction, to those invoices that still have the status and the dates of
    /// their candidate, and returns how many. Invoices locked by another transaction are left to the next
    /// run.
    ///
    /// # Errors
    /// A [`kernel::StoreError`]; then nothing changed.
    async fn change_statuses(&self, changes: &[StatusChange], now: OffsetDateTime) -> StoreResult<u64>;
}
