//! Messages to contacts and from contacts.

mod state;

use std::ops::Deref;

use classification::MessageType;
use contacts::ContactId;
use escalations::Channel;
use invoices::InvoiceId;
use kernel::{AccountId, Id, Named as _};
use strum::{EnumString, IntoStaticStr, VariantNames};
use time::OffsetDateTime;

use crate::address::Address;
use crate::reply_token::ReplyToken;
use crate::understood::Understood;

pub use state::MessageState;

/// The entity type of [`MessageId`].
pub enum MessageEntity {}

/// The id of a message.
pub type MessageId = Id<MessageEntity>;

/// Whether a message goes to a contact or came from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Direction {
    /// From a contact.
    In,
    /// To a contact.
    Out,
}

/// What an outgoing message is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum MessagePurpose {
    /// It reminds of invoices; it needs a permit.
    Reminder,
    /// The owner answers a contact.
    Answer,
    /// It brings an invoice, or the link to its payment page.
    Service,
    /// It confirms a payment.
    Receipt,
}

/// A message. Its fields can be read but not set: it changes only through its methods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message(MessageData);

/// The fields of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageData {
    /// The message's id.
    pub id: MessageId,
    /// The account of the contact.
    pub account: AccountId,
    /// The contact.
    pub contact: Option<ContactId>,
    /// The invoice that it is about; `None` when it is about several.
    pub invoice: Option<InvoiceId>,
    /// The channel that it is sent or received by.
    pub channel: Channel,
    /// Inbound or outgoing.
    pub direction: Direction,
    /// What it is for; `None` for an inbound message.
    pub purpose: Option<MessagePurpose>,
    /// How far its sending or its processing has come.
    pub state: MessageState,
    /// The contact's address or number, which it goes to or came from.
    pub address: Address,
    /// The subject of an e-mail.
    pub subject: Option<String>,
    /// Its plain text; of an inbound message only the newest text.
    pub text: String,
    /// When it was written or received, UTC.
    pub written_at: OffsetDateTime,
    /// When the latest attempt to send it began, UTC; `None` when it is certain that no attempt was accepted.
    pub began_at: Option<OffsetDateTime>,
    /// When it entered its present state, UTC.
    pub state_at: OffsetDateTime,
    /// The provider's id of the message.
    pub provider_id: Option<String>,
    /// Its `Message-ID`, without angle brackets.
    pub internet_id: Option<String>,
    /// The `Message-ID` of the message that it answers, without angle brackets.
    pub in_reply_to: Option<String>,
    /// The token of its reply address.
    pub reply_token: Option<ReplyToken>,
    /// Why it failed or was dropped.
    pub detail: Option<String>,
    /// How many files came with it. They are not opened.
    pub attachments: u32,
    /// What was understood of an inbound message; `None` if a machine wrote it.
    pub understood: Option<Understood>,
    /// Whether it is for the owner to read: reminders wait until the owner marks it as read.
    pub is_unread: bool,
    /// SHA-256 of sender, subject and text of an inbound e-mail: two with the same `Message-ID` and the same
    /// digest are one message.
    pub content_digest: Option<[u8; 32]>,
    /// When subject and text were removed because they were old, UTC; `None` while they are kept.
    pub text_removed_at: Option<OffsetDateTime>,
}

/// A message in one state cannot change to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a message that is {} cannot become {}", .from.as_str(), .to.as_str())]
pub struct InvalidTransition {
    /// The present state.
    pub from: MessageState,
    /// The state that was asked for.
    pub to: MessageState,
}

impl MessageData {
    /// A message to an address that waits to be sent, with no other fields set.
    #[must_use]
    pub fn outgoing(
        id: MessageId,
        account: AccountId,
        purpose: MessagePurpose,
        (channel, address): (Channel, Address),
        written_at: OffsetDateTime,
    ) -> Self {
        Self {
            direction: Direction::Out,
            purpose: Some(purpose),
            state: MessageState::Queued,
            ..Self::incoming(id, account, (channel, address), written_at)
        }
    }

    /// A message from an address that waits to be handled, with no other fields set.
    #[must_use]
    pub fn incoming(
        id: MessageId,
        account: AccountId,
        (channel, address): (Channel, Address),
        written_at: OffsetDateTime,
    ) -> Self {
        Self {
            id,
            account,
            contact: None,
            invoice: None,
            channel,
            direction: Direction::In,
            purpose: None,
            state: MessageState::Stored,
            address,
            subject: None,
            text: String::new(),
            written_at,
            began_at: None,
            state_at: written_at,
            provider_id: None,
            internet_id: None,
            in_reply_to: None,
            reply_token: None,
            detail: None,
            attachments: 0,
            understood: None,
            is_unread: false,
            content_digest: None,
            text_removed_at: None,
        }
    }
}

impl Message {
    /// A new message, or one from the store.
    #[must_use]
    pub const fn new(data: MessageData) -> Self {
        Self(data)
    }

    /// Records that an attempt to send it to an address begins, and with which `Message-ID`.
    ///
    /// # Errors
    /// [`InvalidTransition`] unless it is queued.
    pub fn begin(
        &mut self,
        address: Address,
        internet_id: Option<String>,
        now: OffsetDateTime,
    ) -> Result<(), InvalidTransition> {
        if self.0.state != MessageState::Queued {
            return Err(InvalidTransition { from: self.0.state, to: MessageState::Sent });
        }
        self.0.address = address;
        self.0.internet_id = internet_id;
        self.0.began_at = Some(now);
        Ok(())
    }

    /// Records that the mail server or the provider did not accept it: it may be sent again.
    pub fn mark_not_accepted(&mut self) {
        self.0.began_at = None;
    }

    /// Changes its state, with the reason if there is one.
    ///
    /// # Errors
    /// [`InvalidTransition`] when its present state does not allow the change. Setting the present state
    /// again changes nothing. A message that failed for want of an answer may still turn out to be sent, and
    /// takes the reason of a later failure.
    pub fn transition_to(
        &mut self,
        state: MessageState,
        detail: Option<String>,
        now: OffsetDateTime,
    ) -> Result<(), InvalidTransition> {
        if self.0.state == state {
            let is_reason_missing = state == MessageState::Failed && self.0.began_at.is_some();
            if is_reason_missing && detail.is_some() {
                self.0.detail = detail.map(|text| kernel::text::one_line(&text, 500));
            }
            return Ok(());
        }
        // The answer to the attempt is missing, and the provider has it after all.
        let is_found = self.0.state == MessageState::Failed
            && self.0.began_at.is_some()
            && matches!(state, MessageState::Sent | MessageState::Delivered);
        if !is_found && !self.0.state.may_transition_to(state) {
            return Err(InvalidTransition { from: self.0.state, to: state });
        }
        self.0.state = state;
        self.0.state_at = now;
        self.0.detail = detail.map(|text| kernel::text::one_line(&text, 500));
        Ok(())
    }

    /// Sets the provider's id of the message.
    pub fn set_provider_id(&mut self, provider_id: String) {
        self.0.provider_id = Some(provider_id);
    }

    /// Sets its subject and text, once they are known.
    pub fn write(&mut self, subject: Option<String>, text: String) {
        self.0.subject = subject;
        self.0.text = text;
    }

    /// Records what was understood of it, and whether reminders wait until the owner has read it.
    pub fn understand(&mut self, understood: Understood) {
        self.0.is_unread = understood.needs_owner();
        self.0.understood = Some(understood);
    }

    /// Records that the owner has read it: reminders no longer wait for it. `false` when they did not wait.
    pub fn mark_read(&mut self) -> bool {
        std::mem::take(&mut self.0.is_unread)
    }

    /// Records that reminders wait until the owner has read it.
    pub fn mark_unread(&mut self) {
        self.0.is_unread = true;
    }

    /// Records the type that the owner gives it. What was understood is kept beside it.
    pub fn correct(&mut self, to: MessageType) {
        if let Some(understood) = &mut self.0.understood {
            understood.corrected = Some(to);
        }
    }

    /// The version of its type, which each correction to another type changes.
    #[must_use]
    pub fn version(&self) -> &'static str {
        let corrected = self.0.understood.as_ref().and_then(|understood| understood.corrected);
        corrected.map_or("uncorrected", |to| to.as_str())
    }

    /// Whether it is inbound, by a channel and from an address that can be answered.
    #[must_use]
    pub fn can_be_answered(&self) -> bool {
        let by_text = matches!(self.0.channel, Channel::Email | Channel::Sms);
        self.0.direction == Direction::In && by_text && !self.0.address.as_str().is_empty()
    }
}

impl Deref for Message {
    type Target = MessageData;

    fn deref(&self) -> &MessageData {
        &self.0
    }
}
