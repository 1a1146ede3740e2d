//! Handling an inbound message: which account it belongs to, what it says, and what follows from it.

use std::collections::BTreeSet;

use classification::MessageType;
use contacts::ContactId;
use escalations::{Channel, EscalationDraft, EscalationType, NewEscalation, RaiseError, Statement};
use invoices::{NewPromise, PromiseError, PromisedBy};
use kernel::text::one_line;
use kernel::{StoreError, StoreResult, TimeZone, retry_contended};
use time::OffsetDateTime;

use super::inbox::{InboxItem, StateChange};
use super::mail::Automatic;
use super::matching::{Match, Matched};
use super::parsed_message::ParsedMessage;
use super::receive::InboundService;
use crate::address::Address;
use crate::classify::escalation_for;
use crate::message::{Message, MessageData, MessageId, MessageState};
use crate::opt_out::{close_addresses, present_address};
use crate::ports::CommunicationsTx;
use crate::promised_invoice::is_still_of;
use crate::understood::Understood;
use crate::waiting_mail::CONTACT_ERASED;

/// Why a message is dropped that belongs to no account.
const UNMATCHED: &str = "no account wrote to its sender";

/// Why a text message is dropped that may be for several accounts.
const OPTS_IN: &str = "it is for the provider of text messages alone";

/// How many attempts a message gets before it is left to the operator: one that crashes the process must not
/// do so for ever.
pub(super) const MAX_ATTEMPTS: u32 = 10;

/// Why an inbound message was not handled.
#[derive(Debug, thiserror::Error)]
pub enum HandleError {
    /// An escalation could not be raised.
    #[error(transparent)]
    Raise(#[from] RaiseError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<HandleError> for StoreError {
    fn from(error: HandleError) -> Self {
        match error {
            HandleError::Store(error) | HandleError::Raise(RaiseError::Store(error)) => error,
            HandleError::Raise(error) => Self::Failed(error.into()),
        }
    }
}

/// What became of an inbound message that was to be stored in its account.
pub(super) enum Filed {
    /// It is stored, with this state.
    As(MessageState),
    /// Another worker has handled it.
    Before,
    /// Nothing was stored: its contact was erased meanwhile.
    ContactErased,
}

/// What is stored of an inbound message in its account.
struct Filing {
    matched: Matched,
    state: MessageState,
    understood: Option<Understood>,
    zone: TimeZone,
    draft: Option<EscalationDraft>,
    max_promise_days: u16,
}

impl InboundService {
    /// Handles one item of the inbox in state `stored`. An item that was handled before is left unchanged.
    ///
    /// # Errors
    /// A [`HandleError`]; then it is tried again later.
    pub async fn handle(&self, id: MessageId) -> Result<(), HandleError> {
        if let Some(state) = self.work_on(id).await? {
            self.monitor.settled(state);
        }
        Ok(())
    }

    /// The new state of the item; `None` when it was handled before.
    async fn work_on(&self, id: MessageId) -> Result<Option<MessageState>, HandleError> {
        let item = self.inbox.item(id).await?;
        let Some(item) = item.filter(|item| item.state == MessageState::Stored) else {
            return Ok(None);
        };
        if item.attempts > MAX_ATTEMPTS {
            return self.give_up(&item).await;
        }
        let Some(mut parsed) = self.read(&item) else {
            return self.settle(&item, MessageState::Dropped, Some("it is not an e-mail")).await;
        };
        let found = self.find(&parsed, item.received_at).await?;
        parsed.leave_out_sent(found.answered_text());
        if parsed.automatic.is_none() && self.is_own(&parsed, &found).await? {
            parsed.automatic = Some(Automatic::Own);
        }
        self.apply_to_addresses(&parsed, &found, item.received_at).await?;
        match (found, parsed.automatic) {
            (Match::One(matched), _) => match self.file(&item, &parsed, matched).await? {
                Filed::As(state) => Ok(Some(state)),
                Filed::Before => Ok(None),
                Filed::ContactErased => self.drop_with_content(&item, CONTACT_ERASED).await,
            },
            // The message that the token names was erased with its contact. An earlier attempt may have found
            // one that was erased since.
            (Match::None, _) if parsed.has_token() || item.attempts > 1 => {
                self.drop_with_content(&item, UNMATCHED).await
            }
            (_, Some(_)) => self.settle(&item, MessageState::Automatic, None).await,
            (Match::Several(_), None) if parsed.opts_in() => {
                self.settle(&item, MessageState::Dropped, Some(OPTS_IN)).await
            }
            (Match::Several(candidates), None) => {
                let detail = format!("{} accounts fit", candidates.len());
                self.quarantine(&item, &parsed, &candidates, &detail).await
            }
            (Match::None, None) => self.settle(&item, MessageState::Dropped, Some(UNMATCHED)).await,
        }
    }

    /// Whether the account that a message belongs to has it already, or has it from another worker.
    pub(super) async fn is_repeated(&self, parsed: &ParsedMessage, found: &Match) -> StoreResult<bool> {
        let (Match::One(matched), Some(digest)) = (found, parsed.content_digest) else {
            return Ok(false);
        };
        let mut tx = self.store.begin(matched.account).await?;
        let internet_id = parsed.stored_internet_id();
        Ok(tx.messages().find_inbound(internet_id.as_deref(), &digest).await?.is_some())
    }

    async fn drop_with_content(
        &self,
        item: &InboxItem,
        detail: &str,
    ) -> Result<Option<MessageState>, HandleError> {
        let is_dropped = self.inbox.drop_with_content(item.id, item.state, detail).await?;
        Ok(is_dropped.then_some(MessageState::Dropped))
    }

    pub(super) async fn settle(
        &self,
        item: &InboxItem,
        to: MessageState,
        detail: Option<&str>,
    ) -> Result<Option<MessageState>, HandleError> {
        let change = StateChange { from: item.state, to };
        Ok(self.inbox.settle(item.id, change, detail).await?.then_some(to))
    }

    pub(super) fn read(&self, item: &InboxItem) -> Option<ParsedMessage> {
        let content = item.content.as_deref()?;
        if item.channel == Channel::Email {
            return self.mail.read(content).map(ParsedMessage::of_mail);
        }
        Some(ParsedMessage::of_text_message(item, content))
    }

    /// Prepares what is stored of a message, reading what must be read before the transaction.
    async fn filing(
        &self,
        parsed: &ParsedMessage,
        matched: Matched,
        received_at: OffsetDateTime,
    ) -> Result<Filing, HandleError> {
        let account = matched.account;
        let facts = self.reminder_reads.account(account, received_at).await?;
        let (zone, agreed_host) = match facts {
            Some(facts) => (facts.zone, facts.policy.language_model_host),
            None => (TimeZone::utc(), None),
        };
        let max_promise_days = self.promise_limits.promise_days(account).await?;
        if parsed.automatic.is_some() {
            let state = MessageState::Automatic;
            return Ok(Filing { matched, state, understood: None, zone, draft: None, max_promise_days });
        }
        let understood = parsed.classified(zone.date_at(received_at));
        let mut understood = Understood::new(&understood, &parsed.text, matched.is_sure);
        // Nothing is raised from what somebody else may have written, so no model is asked about it.
        if matched.is_sure && !parsed.text.is_empty() {
            let agreed_host = agreed_host.as_deref();
            understood = self.model_classifier.classify(&parsed.stored_text(), understood, agreed_host).await;
        }
        let draft = match escalation_for(understood.message_type).filter(|_| understood.sure) {
            Some(kind) => Some(self.draft(parsed, &matched, kind).await?),
            None => None,
        };
        let (state, understood) = (MessageState::Handled, Some(understood));
        Ok(Filing { matched, state, understood, zone, draft, max_promise_days })
    }

    async fn draft(
        &self,
        parsed: &ParsedMessage,
        matched: &Matched,
        escalation_type: EscalationType,
    ) -> Result<EscalationDraft, HandleError> {
        let new = NewEscalation {
            escalation_type,
            channel: parsed.channel,
            statement: Statement::from_stored(parsed.stored_text()),
            invoice: matched.invoice,
            contact: matched.contact,
        };
        Ok(self.escalations.draft(matched.account, new).await?)
    }

    /// Stores a message in its account, with all that follows from it, in one transaction.
    pub(super) async fn file(
        &self,
        item: &InboxItem,
        parsed: &ParsedMessage,
        matched: Matched,
    ) -> Result<Filed, HandleError> {
        let filing = self.filing(parsed, matched, item.received_at).await?;
        retry_contended(|| self.try_to_file(item, parsed, &filing)).await
    }

    async fn try_to_file(
        &self,
        item: &InboxItem,
        parsed: &ParsedMessage,
        filing: &Filing,
    ) -> Result<Filed, HandleError> {
        let mut tx = self.store.begin(filing.matched.account).await?;
        lock_contacts(&mut *tx, parsed, &filing.matched).await?;
        if let Some(contact) = filing.matched.contact
            && tx.invoicing().contacts().is_erased(contact).await?
        {
            return Ok(Filed::ContactErased);
        }
        let change = StateChange { from: item.state, to: filing.state };
        let mut message = self.message(item, parsed, filing);
        if let Some(digest) = &message.content_digest
            && let Some(earlier) = tx.messages().find_inbound(message.internet_id.as_deref(), digest).await?
        {
            let is_settled = tx.messages().settle_inbound(item.id, change, earlier).await?;
            if !is_settled {
                return Ok(Filed::Before);
            }
            tx.commit().await?;
            return Ok(Filed::As(filing.state));
        }
        // Another worker may have handled it meanwhile.
        if !tx.messages().settle_inbound(item.id, change, message.id).await? {
            return Ok(Filed::Before);
        }
        if let Some(understood) = filing.understood.clone() {
            let understood = self.follow(&mut *tx, filing, &message, understood).await?;
            let needs_owner = parsed.needs_owner(understood.message_type);
            message.understand(understood);
            if needs_owner {
                message.mark_unread();
            }
        }
        tx.messages().insert(&message, filing.matched.invoice.as_slice()).await?;
        tx.commit().await?;
        Ok(Filed::As(filing.state))
    }

    /// Does what follows from what a message says. A promise that is refused is no longer sure, nor is an
    /// opt-out after which reminders to the contact may go on.
    async fn follow(
        &self,
        tx: &mut dyn CommunicationsTx,
        filing: &Filing,
        message: &Message,
        mut understood: Understood,
    ) -> Result<Understood, HandleError> {
        if let Some(draft) = &filing.draft {
            let account = filing.matched.account;
            self.escalations.raise_unless_open_in(tx.escalating(), account, draft).await?;
        }
        if understood.message_type == MessageType::Promise && understood.sure {
            understood.sure = self.promise(tx, filing, message.id, &understood).await?;
        }
        if understood.message_type == MessageType::OptOut && understood.sure {
            understood.sure = self.opt_out(tx, message, filing.matched.is_sure).await?;
        }
        Ok(understood)
    }

    /// Ends reminders to the address that a message came from and, if it is mail that its contact surely
    /// sent, to the contact's present address. A text message may come from a number that the contact gave
    /// up. `false` if reminders to the contact may go on.
    async fn opt_out(
        &self,
        tx: &mut dyn CommunicationsTx,
        message: &Message,
        is_sender_sure: bool,
    ) -> StoreResult<bool> {
        let present = present_address(tx, message.contact, message.channel).await?;
        let is_mail = message.channel == Channel::Email;
        let own = present.as_ref().filter(|_| is_sender_sure && is_mail);
        let _closed = close_addresses(
            tx,
            message,
            own,
            &message.text,
            message.written_at,
            (&*self.ids, self.clock.now()),
        )
        .await?;
        Ok(!is_mail || is_sender_sure || present.is_none_or(|present| present == message.address))
    }

    /// Stores the promise of a message. `false` if it is refused, or if the invoice is now another contact's.
    async fn promise(
        &self,
        tx: &mut dyn CommunicationsTx,
        filing: &Filing,
        message: MessageId,
        understood: &Understood,
    ) -> StoreResult<bool> {
        let (Some(invoice), Some(date)) = (filing.matched.invoice, understood.date) else {
            return Ok(false);
        };
        if !is_still_of(tx, invoice, filing.matched.contact).await? {
            return Ok(false);
        }
        let new = NewPromise {
            date,
            made_by: PromisedBy::Payer,
            time_zone: filing.zone.clone(),
            most_days: filing.max_promise_days,
        };
        match self.invoicing.promise_in_message(tx.invoicing(), invoice, &new, message.uuid()).await {
            Ok(_promise) => Ok(true),
            Err(PromiseError::Store(error)) => Err(error),
            Err(_refused) => Ok(false),
        }
    }

    fn message(&self, item: &InboxItem, parsed: &ParsedMessage, filing: &Filing) -> Message {
        let sender = parsed.sender.as_ref().map_or("", |sender| sender.as_str());
        let way = (parsed.channel, Address::from_stored(sender.to_owned()));
        Message::new(MessageData {
            contact: filing.matched.contact,
            invoice: filing.matched.invoice,
            state: filing.state,
            text: parsed.stored_text(),
            state_at: self.clock.now(),
            content_digest: parsed.content_digest,
            internet_id: parsed.stored_internet_id(),
            in_reply_to: parsed.in_reply_to.first().map(|id| one_line(id, 500)),
            detail: parsed.automatic.map(|automatic| describe(automatic).to_owned()),
            attachments: parsed.attachments,
            subject: parsed.stored_subject(),
            ..MessageData::incoming(item.id, filing.matched.account, way, item.received_at)
        })
    }
}

/// Locks the preferences of the contact of a message, and of all contacts with the number of a text message:
/// until it is read, their reminders wait.
async fn lock_contacts(
    tx: &mut dyn CommunicationsTx,
    parsed: &ParsedMessage,
    matched: &Matched,
) -> StoreResult<()> {
    let mut contacts: BTreeSet<ContactId> = matched.contact.into_iter().collect();
    if let (Channel::Sms, Some(sender)) = (parsed.channel, &parsed.sender) {
        contacts.extend(tx.preferences().contacts_at(parsed.channel, sender).await?);
    }
    for contact in contacts {
        tx.preferences().lock(contact).await?;
    }
    Ok(())
}

const fn describe(automatic: Automatic) -> &'static str {
    match automatic {
        Automatic::Reply => "an automatic reply",
        Automatic::Bounce => "a report about a mail that was not delivered",
        Automatic::List => "mail of a mailing list",
        Automatic::Loop => "mail that passed this service before",
        Automatic::Own => "mail of the account itself",
    }
}
