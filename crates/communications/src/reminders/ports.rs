//! What reading reminders needs from the store.

use async_trait::async_trait;
use contacts::ContactId;
use invoices::InvoiceId;
use kernel::{AccountId, Id, StoreResult};
use time::{Date, OffsetDateTime};

use super::decision::StepDecision;
use super::facts::{AccountFacts, ContactReminders, PausedUntil};
use crate::message::MessageId;

/// The entity type of [`DecidedStepId`].
pub enum DecidedStepEntity {}

/// The id of a recorded decision about a step.
pub type DecidedStepId = Id<DecidedStepEntity>;

/// A recorded decision about a step of an invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecidedStep {
    /// When it was decided, UTC.
    pub decided_at: OffsetDateTime,
    /// The contact.
    pub contact: ContactId,
    /// The step and the decision.
    pub step: StepDecision,
}

/// A decision about a step, to be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewDecision {
    /// The contact.
    pub contact: ContactId,
    /// The step and the decision.
    pub step: StepDecision,
    /// The message that was queued or sent with it.
    pub message: Option<MessageId>,
}

/// Reads what reminders depend on, outside any transaction.
#[async_trait]
pub trait ReminderReads: Send + Sync {
    /// The accounts that have started reminders, after the given one, in the order of their ids.
    async fn started_accounts(&self, after: Option<AccountId>, limit: u32) -> StoreResult<Vec<AccountId>>;

    /// An account, with its policy; `None` when there is no such account.
    async fn account(&self, account: AccountId, now: OffsetDateTime) -> StoreResult<Option<AccountFacts>>;

    /// Contacts with open invoices that are due at `due_until` or earlier, with those invoices: after the
    /// given contact, in the order of their ids. The number of round trips grows only with thousands of
    /// invoices.
    async fn contacts(
        &self,
        account: &AccountFacts,
        due_until: OffsetDateTime,
        after: Option<ContactId>,
        limit: u32,
        now: OffsetDateTime,
    ) -> StoreResult<Vec<ContactReminders>>;

    /// Whether the account has more than `limit` open invoices that may have a step until an instant, which
    /// [`contacts`](Self::contacts) would read.
    async fn has_more_open(
        &self,
        account: &AccountFacts,
        due_until: OffsetDateTime,
        limit: usize,
    ) -> StoreResult<bool>;

    /// How many open invoices were due before a day in the past.
    async fn count_due_before(&self, account: AccountId, day: Date) -> StoreResult<usize>;

    /// The decisions about the steps of an invoice, newest first.
    async fn decided(&self, account: AccountId, invoice: InvoiceId) -> StoreResult<Vec<DecidedStep>>;

    /// At most `limit` decisions about reminders to a contact of invoices that have another contact by now,
    /// after the given one, in the order of their ids.
    async fn decided_of_former_invoices(
        &self,
        account: AccountId,
        contact: ContactId,
        after: Option<DecidedStepId>,
        limit: usize,
    ) -> StoreResult<Vec<(DecidedStepId, DecidedStep)>>;

    /// The contact of an invoice.
    async fn contact_of(&self, account: AccountId, invoice: InvoiceId) -> StoreResult<Option<ContactId>>;

    /// Until when the reminders of an invoice are paused.
    async fn paused(&self, account: AccountId, invoice: InvoiceId) -> StoreResult<Option<PausedUntil>>;
}
