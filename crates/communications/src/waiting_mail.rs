//! Mail that waits to be sent while its contact is erased.

use escalations::Channel;
use invoices::InvoiceId;
use kernel::AccountId;
use time::OffsetDateTime;

use crate::address::Address;
use crate::message::{Message, MessageData, MessageId, MessagePurpose, MessageState};

/// The text that replaces erased names, addresses and words.
pub(crate) const ERASED: &str = "(erased)";
/// Why a message of an erased contact is not sent or not handled. Jobs that are given up keep this text.
pub const CONTACT_ERASED: &str = "the contact was erased";

/// A mail to a contact that waited to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitingMail {
    /// Its id; a message that was stored of it has the same id.
    pub id: MessageId,
    /// The invoice that it is about.
    pub invoice: InvoiceId,
    /// When it was queued, UTC.
    pub queued_at: OffsetDateTime,
}

/// A message of a contact that was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemovedMessage {
    /// Which message it was; mail that waits has the same id.
    pub id: MessageId,
    /// The state in which it was removed.
    pub state: MessageState,
    /// When an attempt at it began that may have been accepted, UTC.
    pub began_at: Option<OffsetDateTime>,
}

/// The state of a mail that is given up on purpose. If an attempt began, it may have arrived, and may turn
/// out to be sent.
pub(crate) const fn unsent_state(began_at: Option<OffsetDateTime>) -> MessageState {
    if began_at.is_some() { MessageState::Failed } else { MessageState::Dropped }
}

impl WaitingMail {
    /// What is kept of it once it is given up: neither its reader nor what it said.
    pub(crate) fn unsent(
        &self,
        account: AccountId,
        began_at: Option<OffsetDateTime>,
        now: OffsetDateTime,
    ) -> Message {
        let way = (Channel::Email, Address::from_stored(ERASED.to_owned()));
        Message::new(MessageData {
            invoice: Some(self.invoice),
            state: unsent_state(began_at),
            began_at,
            state_at: now,
            detail: Some(CONTACT_ERASED.to_owned()),
            ..MessageData::outgoing(self.id, account, MessagePurpose::Service, way, self.queued_at)
        })
    }
}
