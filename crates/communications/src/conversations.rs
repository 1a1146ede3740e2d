//! What the owner of an account does in conversations with contacts.

use std::sync::Arc;

use classification::MessageType;
use contacts::{ContactId, ContactReads};
use escalations::{Channel, EscalationDraft, EscalationService, NewEscalation, RaiseError, Statement};
use invoices::{Invoicing, NewPromise, PromiseError, PromisePeriod, PromisedBy};
use kernel::{AccountId, AccountScope, Clock, Id, Ids, SingleLine, StoreError, StoreResult, retry_contended};

use crate::address_hold::{AddressHoldId, CloseReason};
use crate::classify::escalation_for;
use crate::message::{Direction, Message, MessageId};
use crate::opt_out::{address_of, close_addresses, present_address};
use crate::ports::{CommunicationsReads, CommunicationsStore, CommunicationsTx};
use crate::preferences::Consent;
use crate::promised_invoice::is_still_of;
use crate::understood::Understood;

/// The use cases of conversations, over their ports.
#[derive(Clone)]
pub struct ConversationService {
    /// Begins transactions.
    pub store: Arc<dyn CommunicationsStore>,
    /// Reads messages outside any transaction.
    pub reads: Arc<dyn CommunicationsReads>,
    /// Reads the contacts.
    pub contacts: Arc<dyn ContactReads>,
    /// Raises escalations.
    pub escalations: EscalationService,
    /// Stores promises to pay.
    pub invoicing: Invoicing,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes ids.
    pub ids: Arc<dyn Ids>,
}

/// The words of a message whose text was removed.
const TEXT_REMOVED: &str = "(text removed)";

/// A consent to record, or its withdrawal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewConsent {
    /// The channel that the contact consents to: text messages or calls.
    pub channel: Channel,
    /// Whether it is given; `false` when it is withdrawn.
    pub is_given: bool,
    /// How the contact gave it, in the recorder's words.
    pub how: SingleLine<500>,
    /// Who records it: `owner` or `operator`.
    pub recorded_by: SingleLine<50>,
}

/// What followed from the type that the owner gave a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Corrected {
    /// What the type asks for is done, and reminders do not wait for the message.
    ActedOn,
    /// The message names no possible day for its promise, or no invoice that is still its contact's.
    /// Reminders wait until the owner has entered the promise and marked the message as read.
    PromiseToEnter,
    /// Neither the message nor its contact has an address that the opt-out could close. Reminders wait until
    /// the owner has marked the message as read.
    NoAddressToClose,
}

/// A type that the owner gives a message, with what is prepared before the transaction.
struct Correction<'a> {
    to: MessageType,
    /// The [`Message::version`] that the owner saw.
    seen: Option<&'a str>,
    draft: Option<EscalationDraft>,
}

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ConversationError {
    /// The account has no such contact.
    #[error("the account has no such contact")]
    ContactNotFound,
    /// The account has no such inbound message, or it has no type that could be corrected.
    #[error("the account has no such message from a contact")]
    MessageNotFound,
    /// The message was given another type since the owner saw it.
    #[error("the message was given another type meanwhile")]
    Changed,
    /// E-mail needs no consent.
    #[error("e-mail needs no consent: a consent is for sms or voice")]
    NotForMail,
    /// The contact's address is not closed.
    #[error("the contact's address is not closed for this reason")]
    NotClosed,
    /// The contact was erased: nothing more is stored about it.
    #[error("the contact was erased, and nothing more is stored about it")]
    ContactErased,
    /// The contact has no address for the channel.
    #[error("the contact has no address for this channel")]
    NoAddress,
    /// An escalation could not be raised.
    #[error(transparent)]
    Raise(#[from] RaiseError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ConversationService {
    /// Records a contact's consent to text messages or calls, or its withdrawal. Every record is kept.
    ///
    /// # Errors
    /// A [`ConversationError`]; then nothing was changed.
    pub async fn record_consent(
        &self,
        account: AccountId,
        contact: ContactId,
        new: &NewConsent,
    ) -> Result<Consent, ConversationError> {
        if new.channel == Channel::Email {
            return Err(ConversationError::NotForMail);
        }
        retry_contended(async || {
            let now = self.clock.now();
            let mut tx = self.store.begin(account).await?;
            let locked = tx.preferences().lock(contact).await?;
            locked.ok_or(ConversationError::ContactNotFound)?;
            if tx.invoicing().contacts().is_erased(contact).await? {
                return Err(ConversationError::ContactErased);
            }
            let consent = Consent {
                id: Id::new(&*self.ids, now),
                contact,
                channel: new.channel,
                is_given: new.is_given,
                recorded_at: now,
                how: new.how.clone(),
                recorded_by: new.recorded_by.clone(),
            };
            tx.preferences().record_consent(&consent).await?;
            tx.commit().await?;
            Ok(consent)
        })
        .await
    }

    /// Opens the contact's present address again that was closed for this reason, so that reminders go there.
    /// `because` is stored. `seen` is the hold that the owner saw, if that is known: a later opt-out or
    /// bounce, and a hold of another address, stay. A later one also closes the address anew.
    ///
    /// # Errors
    /// A [`ConversationError`]; then nothing was changed.
    pub async fn open_address(
        &self,
        account: AccountId,
        contact: ContactId,
        channel: Channel,
        reason: CloseReason,
        seen: Option<AddressHoldId>,
        because: &SingleLine<500>,
    ) -> Result<(), ConversationError> {
        retry_contended(async || {
            let mut tx = self.store.begin(account).await?;
            tx.preferences().lock(contact).await?;
            let found = tx.invoicing().contacts().lock(contact).await?;
            let found = found.ok_or(ConversationError::ContactNotFound)?;
            let address = address_of(&found, channel).ok_or(ConversationError::NoAddress)?;
            let (way, now) = ((channel, &address), self.clock.now());
            if !tx.preferences().open_address(way, reason, seen, because, now).await? {
                return Err(ConversationError::NotClosed);
            }
            Ok(tx.commit().await?)
        })
        .await
    }

    /// Marks a message as read by the owner: reminders no longer wait for it. Idempotent.
    ///
    /// # Errors
    /// A [`ConversationError`]; then nothing was changed.
    pub async fn mark_read(&self, account: AccountId, id: MessageId) -> Result<(), ConversationError> {
        retry_contended(async || {
            let mut tx = self.store.begin(account).await?;
            let message = tx.messages().lock(id).await?;
            let mut message = inbound(message)?;
            if message.mark_read() {
                tx.messages().update(&message).await?;
                tx.commit().await?;
            }
            Ok(())
        })
        .await
    }

    /// Stores the type that the owner gives a message, beside what the rules understood, and acts on it
    /// unless the service has: a type that raises an escalation raises it, unless one of that type is open;
    /// after an opt-out, the account sends no more reminders to the address that the message came from, nor
    /// to the contact's present one; a promise is stored for the invoice of the message. A promise that was
    /// stored for a message which is none is withdrawn. `seen` is the [`Message::version`] that the owner
    /// saw, if that is known.
    ///
    /// # Errors
    /// A [`ConversationError`]; then nothing was changed.
    pub async fn correct(
        &self,
        scope: &AccountScope,
        id: MessageId,
        to: MessageType,
        seen: Option<&str>,
    ) -> Result<Corrected, ConversationError> {
        let message = inbound(self.reads.message(scope.id, id).await?)?;
        let correction = Correction { to, seen, draft: self.draft(&message, to).await? };
        retry_contended(|| self.try_to_correct(scope, id, &correction)).await
    }

    async fn try_to_correct(
        &self,
        scope: &AccountScope,
        id: MessageId,
        correction: &Correction<'_>,
    ) -> Result<Corrected, ConversationError> {
        let mut tx = self.store.begin(scope.id).await?;
        let mut message = inbound(tx.messages().lock(id).await?)?;
        if message.understood.is_none() {
            return Err(ConversationError::MessageNotFound);
        }
        if correction.seen.is_some_and(|seen| seen != message.version()) {
            return Err(ConversationError::Changed);
        }
        let to = correction.to;
        let acted_on = message.understood.as_ref().and_then(Understood::acted_on);
        let may_be_undone = match to {
            // The address that it closed may be open again, or no longer the contact's.
            MessageType::OptOut => true,
            // One that could not be stored left the message unread.
            MessageType::Promise => message.is_unread,
            _ => false,
        };
        let is_done = acted_on == Some(to) && !may_be_undone;
        message.correct(to);
        if let Some(contact) = message.contact {
            // A reminder that is about to be sent looks for unread messages with this lock, and another
            // message of the contact may be raising an escalation.
            tx.preferences().lock(contact).await?;
        }
        if acted_on == Some(MessageType::Promise) && to != MessageType::Promise {
            self.withdraw_promise(&mut *tx, &message).await?;
        }
        let followed = match is_done {
            true => Corrected::ActedOn,
            false => self.act_on(&mut *tx, scope, &message, correction).await?,
        };
        let corrected = match message.contact {
            Some(_) if followed != Corrected::ActedOn => {
                message.mark_unread();
                followed
            }
            _ => {
                message.mark_read();
                Corrected::ActedOn
            }
        };
        tx.messages().update(&message).await?;
        tx.commit().await?;
        Ok(corrected)
    }

    /// Does what follows from the type that the owner gives a message, as far as it can be done.
    async fn act_on(
        &self,
        tx: &mut dyn CommunicationsTx,
        scope: &AccountScope,
        message: &Message,
        correction: &Correction<'_>,
    ) -> Result<Corrected, ConversationError> {
        let acted = |is_done: bool, otherwise| if is_done { Corrected::ActedOn } else { otherwise };
        match correction.to {
            MessageType::OptOut => {
                let present = present_address(tx, message.contact, message.channel).await?;
                let now = self.clock.now();
                let (present, made) = (present.as_ref(), (&*self.ids, now));
                let closed = close_addresses(tx, message, present, words(message), now, made).await?;
                return Ok(acted(closed, Corrected::NoAddressToClose));
            }
            MessageType::Promise => {
                let stored = self.promise(tx, scope, message).await?;
                return Ok(acted(stored, Corrected::PromiseToEnter));
            }
            _ => {}
        }
        if let Some(draft) = &correction.draft {
            self.escalations.raise_unless_open_in(tx.escalating(), scope.id, draft).await?;
        }
        Ok(Corrected::ActedOn)
    }

    /// Stores the promise of a message, as the owner could enter it. `false` if it cannot be stored, or if
    /// the invoice is now another contact's.
    async fn promise(
        &self,
        tx: &mut dyn CommunicationsTx,
        scope: &AccountScope,
        message: &Message,
    ) -> StoreResult<bool> {
        let date = message.understood.as_ref().and_then(|understood| understood.date);
        let (Some(invoice), Some(date)) = (message.invoice, date) else {
            return Ok(false);
        };
        if !is_still_of(tx, invoice, message.contact).await? {
            return Ok(false);
        }
        let new = NewPromise {
            date,
            made_by: PromisedBy::Owner,
            time_zone: scope.time_zone.clone(),
            most_days: PromisePeriod::MAX_DAYS,
        };
        match self.invoicing.promise_in_message(tx.invoicing(), invoice, &new, message.id.uuid()).await {
            Ok(_promise) => Ok(true),
            // Nothing is due, so nothing waits for the promise.
            Err(PromiseError::NotPayable(_)) => Ok(true),
            Err(PromiseError::Store(error)) => Err(error),
            Err(_refused) => Ok(false),
        }
    }

    /// Withdraws the promise that was stored for a message.
    async fn withdraw_promise(&self, tx: &mut dyn CommunicationsTx, message: &Message) -> StoreResult<()> {
        let Some(invoice) = message.invoice else {
            return Ok(());
        };
        self.invoicing.withdraw_promise_in(tx.invoicing(), invoice, message.id.uuid()).await
    }

    async fn draft(
        &self,
        message: &Message,
        to: MessageType,
    ) -> Result<Option<EscalationDraft>, ConversationError> {
        let Some(escalation_type) = escalation_for(to) else {
            return Ok(None);
        };
        let new = NewEscalation {
            escalation_type,
            channel: message.channel,
            statement: Statement::from_stored(words(message).to_owned()),
            invoice: message.invoice,
            contact: message.contact,
        };
        Ok(Some(self.escalations.draft(message.account, new).await?))
    }
}

/// The contact's words in an inbound message.
fn words(message: &Message) -> &str {
    if message.text_removed_at.is_some() { TEXT_REMOVED } else { &message.text }
}

fn inbound(message: Option<Message>) -> Result<Message, ConversationError> {
    let found = message.filter(|message| message.direction == Direction::In);
    found.ok_or(ConversationError::MessageNotFound)
}
