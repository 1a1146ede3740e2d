//! The service whose methods are the use cases of reminders.

use std::cmp::Reverse;
use std::sync::Arc;

use contacts::ContactId;
use invoices::{InvoiceId, InvoiceReads};
use kernel::{AccountId, Clock, Ids, SecureRandom, StoreResult};
use time::OffsetDateTime;

use super::decision::Decision;
use super::facts::{AccountFacts, ContactReminders};
use super::ports::{DecidedStep, ReminderReads};
use crate::message::MessageId;
use crate::ports::{CommunicationsReads, CommunicationsStore, CommunicationsTx};

/// The use cases of reminders, over their ports.
#[derive(Clone)]
pub struct ReminderService {
    /// Begins transactions.
    pub store: Arc<dyn CommunicationsStore>,
    /// Reads messages outside any transaction.
    pub reads: Arc<dyn CommunicationsReads>,
    /// Reads what reminders depend on.
    pub reminder_reads: Arc<dyn ReminderReads>,
    /// Reads the invoices and letterheads that reminders show.
    pub invoices: Arc<dyn InvoiceReads>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes ids.
    pub ids: Arc<dyn Ids>,
    /// Makes the tokens of reply addresses.
    pub random: Arc<dyn SecureRandom>,
    /// Whether an SMS provider is configured.
    pub sends_texts: bool,
}

/// How many contacts are read at once.
pub(super) const CONTACTS_AT_ONCE: u32 = 500;

impl ReminderService {
    /// The facts of an account, with those that the service sets for all accounts.
    pub async fn facts(&self, account: AccountId, now: OffsetDateTime) -> StoreResult<Option<AccountFacts>> {
        let facts = self.reminder_reads.account(account, now).await?;
        Ok(facts.map(|facts| self.with_service(facts)))
    }

    /// Locks the preferences and the invoices of a contact, and reads the facts.
    pub(super) async fn lock(
        &self,
        tx: &mut dyn CommunicationsTx,
        contact: ContactId,
        on_its_way: Option<MessageId>,
        now: OffsetDateTime,
    ) -> StoreResult<Option<(AccountFacts, ContactReminders)>> {
        let locked = tx.reminders().lock(contact, on_its_way, now).await?;
        Ok(locked.map(|(facts, reminders)| (self.with_service(facts), reminders)))
    }

    /// [`lock`](Self::lock) for several contacts.
    pub(super) async fn lock_all(
        &self,
        tx: &mut dyn CommunicationsTx,
        contacts: &[ContactId],
        now: OffsetDateTime,
    ) -> StoreResult<Option<(AccountFacts, Vec<ContactReminders>)>> {
        let locked = tx.reminders().lock_all(contacts, None, now).await?;
        Ok(locked.map(|(facts, reminders)| (self.with_service(facts), reminders)))
    }

    const fn with_service(&self, mut facts: AccountFacts) -> AccountFacts {
        facts.sends_texts = self.sends_texts;
        facts
    }

    /// Why the customer was reminded of an invoice, or was not: the decisions about its steps, newest first.
    pub async fn why(&self, account: AccountId, invoice: InvoiceId) -> StoreResult<Vec<DecidedStep>> {
        let mut decided = self.reminder_reads.decided(account, invoice).await?;
        // Another process may have sent a reminder at the instant of its decision, and numbers independently.
        decided.sort_by_key(|one| Reverse((one.decided_at, one.step.decision == Decision::Sent)));
        Ok(decided)
    }
}
