//! Storing inbound messages before they are handled.

use std::sync::Arc;

use data_encoding::HEXLOWER;
use escalations::{Channel, EscalationService};
use invoices::{Invoicing, PromiseLimits};
use kernel::{Clock, Id, Ids, StoreResult};
use ring::digest::{Context, SHA256};
use time::OffsetDateTime;

use super::inbox::{InboundMonitor, Inbox, InboxItem};
use super::mail::MailReader;
use super::model_classifier::ModelClassifier;
use crate::address::Address;
use crate::message::{MessageId, MessageState};
use crate::ports::{CommunicationsReads, CommunicationsStore};
use crate::reminders::ports::ReminderReads;

/// The use cases of inbound messages, over their ports.
#[derive(Clone)]
pub struct InboundService {
    /// Begins transactions.
    pub store: Arc<dyn CommunicationsStore>,
    /// Reads messages outside any transaction.
    pub reads: Arc<dyn CommunicationsReads>,
    /// Reads the time zone and the policy of an account.
    pub reminder_reads: Arc<dyn ReminderReads>,
    /// Stores inbound messages.
    pub inbox: Arc<dyn Inbox>,
    /// Reads raw mail.
    pub mail: Arc<dyn MailReader>,
    /// The sender of the mail of this service.
    pub mail_from: Address,
    /// Asks a language model about messages that the rules are unsure of.
    pub model_classifier: ModelClassifier,
    /// Raises escalations.
    pub escalations: EscalationService,
    /// Stores promises.
    pub invoicing: Invoicing,
    /// How far ahead promises may be.
    pub promise_limits: Arc<dyn PromiseLimits>,
    /// Is notified of the outcome of each message.
    pub monitor: Arc<dyn InboundMonitor>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes ids.
    pub ids: Arc<dyn Ids>,
}

/// An inbound message that is not stored yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Incoming {
    /// A raw e-mail (RFC 5322).
    Mail(Vec<u8>),
    /// A text message.
    Sms {
        /// The number that it came from.
        from: Address,
        /// What it says.
        text: String,
        /// How many pictures or other files came with it.
        attachments: u32,
        /// Whether the provider recognised an opt-out in it.
        opts_out: bool,
        /// The provider's id of the message, if it came through a provider.
        provider_id: Option<String>,
    },
}

impl InboundService {
    /// Stores a message, which a worker or [`InboundService::handle`] handles later. A repeated message,
    /// known by the provider's id or else by all of its bytes, is stored once.
    ///
    /// # Errors
    /// A [`kernel::StoreError`]; then it is not stored.
    pub async fn receive(&self, incoming: Incoming) -> StoreResult<MessageId> {
        let now = self.clock.now();
        let item = item_of(incoming, Id::new(&*self.ids, now), now);
        self.inbox.store(&item).await
    }
}

/// The item of a message that came in.
fn item_of(incoming: Incoming, id: MessageId, now: OffsetDateTime) -> InboxItem {
    let item = |key, channel, content| InboxItem {
        id,
        key,
        channel,
        sender: None,
        content: Some(content),
        received_at: now,
        state: MessageState::Stored,
        stored_as: None,
        attempts: 0,
        detail: None,
        attachments: 0,
        opts_out: false,
    };
    match incoming {
        Incoming::Mail(raw) => item(format!("email:{}", digest(&[&raw])), Channel::Email, raw),
        Incoming::Sms { from, text, attachments, opts_out, provider_id } => {
            let own = || digest(&[from.as_str().as_bytes(), text.as_bytes()]);
            let key = format!("sms:{}", provider_id.unwrap_or_else(own));
            let received = item(key, Channel::Sms, text.into_bytes());
            InboxItem { sender: Some(from), attachments, opts_out, ..received }
        }
    }
}

/// SHA-256 of texts, each with its length before it, in hexadecimal digits.
fn digest(texts: &[&[u8]]) -> String {
    HEXLOWER.encode(&sha256(texts))
}

/// SHA-256 of texts, each with its length before it.
pub(super) fn sha256(texts: &[&[u8]]) -> [u8; 32] {
    let mut context = Context::new(&SHA256);
    for text in texts {
        context.update(&u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
        context.update(text);
    }
    context.finish().as_ref().first_chunk().copied().unwrap_or_default()
}
