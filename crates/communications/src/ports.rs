//! What communications need from the store.

mod reads;

use async_trait::async_trait;
use contacts::ContactId;
use escalations::{Channel, EscalationsTx};
use invoices::{InvoiceId, InvoicingTx};
use kernel::{AccountId, Commit, Ids, SingleLine, StoreResult, TimeZone};
use outbox::Jobs;
use time::OffsetDateTime;

use crate::address::Address;
use crate::address_hold::{AddressHold, AddressHoldId, CloseReason};
use crate::inbound::inbox::StateChange;
use crate::message::{Message, MessageId};
use crate::preferences::{Consent, ContactPreferences};
use crate::reminders::decision::StepDecision;
use crate::reminders::facts::{AccountFacts, ContactReminders, PausedUntil};
use crate::reminders::policy::ReminderPolicy;
use crate::reminders::ports::NewDecision;
use crate::reminders::settings::ReminderSettings;
use crate::waiting_mail::{RemovedMessage, WaitingMail};

pub use reads::{CommunicationsReads, MailSubject, MessagePosition, MessageRetention, UnreadReads};

/// The messages of the transaction's account.
#[async_trait]
pub trait Messages: Send {
    /// Inserts a message that is about these invoices.
    async fn insert(&mut self, message: &Message, invoices: &[InvoiceId]) -> StoreResult<()>;

    /// Inserts messages, each with the invoices that it is about. The number of round trips grows far slower
    /// than the number of messages.
    async fn insert_all(&mut self, messages: &[(Message, Vec<InvoiceId>)]) -> StoreResult<()>;

    /// Locks one message until the transaction ends.
    async fn lock(&mut self, id: MessageId) -> StoreResult<Option<Message>>;

    /// Whether the account may queue another text message or call this month. Locks the account, so that of
    /// concurrent transactions each counts the messages of those before it. Taken before any other lock.
    async fn lock_texts_left(&mut self, now: OffsetDateTime) -> StoreResult<bool>;

    /// Writes a locked message.
    async fn update(&mut self, message: &Message) -> StoreResult<()>;

    /// Removes an invoice from those that a message is about.
    async fn remove_invoice(&mut self, id: MessageId, invoice: InvoiceId) -> StoreResult<()>;

    /// An earlier inbound message with this `Message-ID` and content.
    async fn find_inbound(
        &mut self,
        internet_id: Option<&str>,
        content_digest: &[u8; 32],
    ) -> StoreResult<Option<MessageId>>;

    /// Records in the inbox that an item was handled, and which message it became. `false`, and nothing
    /// changes, when the item is no longer in the state that the change starts from.
    async fn settle_inbound(
        &mut self,
        inbound: MessageId,
        change: StateChange,
        message: MessageId,
    ) -> StoreResult<bool>;

    /// Removes all messages of a contact, and the raw bytes of the inbound ones. Returns what was removed.
    async fn erase(&mut self, contact: ContactId) -> StoreResult<Vec<RemovedMessage>>;

    /// Gives up, for this reason, the mail to a contact that waits in the mail queue, and the notices to the
    /// owner about the contact and its escalations, and removes the content of all that was given up. Gives
    /// up the reminders and answers to the contact, and removes what the mail server answered to them. An
    /// attempt that is in progress may still succeed; if it fails, its reason is not stored. The mail of
    /// `sent` was sent, and ends as done. Returns the mail to the contact that waited, in the order of the
    /// ids.
    async fn give_up_mail(
        &mut self,
        contact: ContactId,
        sent: &[MessageId],
        reason: &str,
        now: OffsetDateTime,
    ) -> StoreResult<Vec<WaitingMail>>;
}

/// The preferences of the transaction's account.
///
/// A transaction that locks both preferences and invoices locks the preferences first, and invoices in the
/// order of their ids.
#[async_trait]
pub trait Preferences: Send {
    /// Locks the preferences of a contact until the transaction ends, and creates their row if there is none.
    /// `None` when the account has no such contact. Another transaction that locks them waits, and then sees
    /// the changes of this one.
    async fn lock(&mut self, contact: ContactId) -> StoreResult<Option<ContactPreferences>>;

    /// Records a consent for a contact whose preferences are locked.
    async fn record_consent(&mut self, consent: &Consent) -> StoreResult<()>;

    /// Removes the data of a contact whose preferences are locked, except its messages, which must not be
    /// removed yet: name and addresses, also from drafts, consents, and in escalations its words and the
    /// notes on how they were resolved. Holds of its addresses and of those of its messages stay, without
    /// their texts, since they are permanent and apply to other contacts with the same address. `mark`
    /// replaces names and words.
    ///
    /// Messages in quarantine are no longer candidates for the contact: they are for the contact that was
    /// written to last at their sender's address besides it, or else not for the account. One that is for no
    /// account any more is dropped, without its raw bytes and its sender.
    async fn erase(&mut self, contact: ContactId, mark: &str, at: OffsetDateTime) -> StoreResult<()>;

    /// The contacts of the account that were written to at an address, in the order of their ids.
    async fn contacts_at(&mut self, channel: Channel, address: &Address) -> StoreResult<Vec<ContactId>>;

    /// Closes an address for a reason that there was at `since`. `false`, and nothing changes, when it is
    /// closed for this reason already, or was opened again after `since`.
    async fn close_address(&mut self, hold: &AddressHold, since: OffsetDateTime) -> StoreResult<bool>;

    /// Opens an address again that was closed for this reason, by the hold `seen` if one is given. `false`
    /// when it was not closed so.
    async fn open_address(
        &mut self,
        way: (Channel, &Address),
        reason: CloseReason,
        seen: Option<AddressHoldId>,
        because: &SingleLine<500>,
        at: OffsetDateTime,
    ) -> StoreResult<bool>;

    /// Holds reminders because a message that is put into quarantine may belong to the account: those of this
    /// contact, if any, and of every contact that has the sender's address while it waits. `false`, and
    /// nothing changes, when the message is no longer in state `stored`.
    async fn hold_for_quarantine(
        &mut self,
        inbound: MessageId,
        contact: Option<ContactId>,
        sender: Option<&Address>,
    ) -> StoreResult<bool>;
}

/// The reminders of the transaction's account.
#[async_trait]
pub trait Reminders: Send {
    /// Locks the preferences of contacts in the order of their ids, then their open invoices in the order of
    /// the invoices' ids, and reads all that reminders depend on as it is now. The message `on_its_way` does
    /// not count as one that its contact received. The contacts are returned in the order of their ids;
    /// unknown ones are left out. `None` when the account has none of them. The number of round trips grows
    /// only with thousands of invoices.
    async fn lock_all(
        &mut self,
        contacts: &[ContactId],
        on_its_way: Option<MessageId>,
        now: OffsetDateTime,
    ) -> StoreResult<Option<(AccountFacts, Vec<ContactReminders>)>>;

    /// The same for one contact. `None` when the account does not have it.
    async fn lock(
        &mut self,
        contact: ContactId,
        on_its_way: Option<MessageId>,
        now: OffsetDateTime,
    ) -> StoreResult<Option<(AccountFacts, ContactReminders)>> {
        let locked = self.lock_all(&[contact], on_its_way, now).await?;
        Ok(locked.and_then(|(account, mut contacts)| contacts.pop().map(|one| (account, one))))
    }

    /// Records decisions about steps, in this order.
    async fn record_all(
        &mut self,
        decisions: &[NewDecision],
        at: OffsetDateTime,
        ids: &dyn Ids,
    ) -> StoreResult<()>;

    /// Records decisions about steps of a contact's invoices, and the message that they belong to.
    async fn record(
        &mut self,
        contact: ContactId,
        steps: &[StepDecision],
        message: Option<MessageId>,
        at: OffsetDateTime,
        ids: &dyn Ids,
    ) -> StoreResult<()> {
        let decision = |step: &StepDecision| NewDecision { contact, step: *step, message };
        self.record_all(&steps.iter().map(decision).collect::<Vec<_>>(), at, ids).await
    }

    /// The steps that belong to a message, with their latest decisions.
    async fn steps_of(&mut self, message: MessageId) -> StoreResult<Vec<StepDecision>>;

    /// The settings, locked until the transaction ends, with the account: an account may not have stored a
    /// policy yet. `None` when there is no such account.
    async fn lock_settings(&mut self) -> StoreResult<Option<ReminderSettings>>;

    /// Stores the policy.
    async fn put_policy(&mut self, policy: &ReminderPolicy) -> StoreResult<()>;

    /// Sets the time zone of the locked account.
    async fn set_time_zone(&mut self, zone: &TimeZone, at: OffsetDateTime) -> StoreResult<()>;

    /// Sets how many days from today payers of the locked account may promise to pay within.
    async fn set_promise_days(&mut self, days: u16) -> StoreResult<()>;

    /// Pauses the reminders of a locked invoice, or resumes them if `until` is `None`. Returns until when
    /// they were paused before.
    async fn pause(
        &mut self,
        invoice: InvoiceId,
        until: Option<PausedUntil>,
    ) -> StoreResult<Option<PausedUntil>>;
}

/// The notices of unread messages to the owner of the transaction's account.
#[async_trait]
pub trait UnreadNotices: Send {
    /// The instant up to which the owner was notified of messages, locked until the transaction ends; `None`
    /// before the first notice.
    async fn lock_notified_until(&mut self) -> StoreResult<Option<OffsetDateTime>>;

    /// Stores that instant, which must be locked.
    async fn put_notified_until(&mut self, until: OffsetDateTime) -> StoreResult<()>;

    /// The number of unread messages that were handled at `until` or earlier, and later than `after` if it is
    /// given.
    async fn count_unread(
        &mut self,
        after: Option<OffsetDateTime>,
        until: OffsetDateTime,
    ) -> StoreResult<u64>;
}

/// A transaction on communications of one account.
pub trait CommunicationsTx: Commit {
    /// The account's messages.
    fn messages(&mut self) -> &mut dyn Messages;
    /// The account's preferences.
    fn preferences(&mut self) -> &mut dyn Preferences;
    /// The account's reminders.
    fn reminders(&mut self) -> &mut dyn Reminders;
    /// The notices of unread messages to the account's owner.
    fn unread_notices(&mut self) -> &mut dyn UnreadNotices;
    /// The account's background jobs.
    fn jobs(&mut self) -> &mut dyn Jobs;
    /// The same transaction as escalations see it.
    fn escalating(&mut self) -> &mut dyn EscalationsTx;
    /// The same transaction as invoices see it.
    fn invoicing(&mut self) -> &mut dyn InvoicingTx;
}

/// Begins transactions on communications.
#[async_trait]
pub trait CommunicationsStore: Send + Sync {
    /// Begins a transaction for an account. Every query in it is limited to that account.
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn CommunicationsTx>>;
}
