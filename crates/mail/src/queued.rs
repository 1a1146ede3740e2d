//! A mail on its way: queued, and leased for one attempt.

use kernel::{AccountId, Entity, Id};
use outbox::Work;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::message::Message;

/// Names the mail.
#[derive(Debug, Clone, Copy)]
pub enum MailEntity {}
impl Entity for MailEntity {
    const NAME: &'static str = "mail";
}

/// The id of a mail.
pub type MailId = Id<MailEntity>;

/// A mail that is to be delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedMail {
    /// The mail's id; the message carries it through every attempt.
    pub id: MailId,
    /// The account in whose name it is sent.
    pub account: AccountId,
    /// The record that it is about, such as an invoice.
    pub about: Option<Uuid>,
    /// What it says, and to whom.
    pub message: Message,
    /// When it was queued, UTC. This is also the date that its reader sees, whichever attempt brings it.
    pub queued_at: OffsetDateTime,
}

impl Work for QueuedMail {
    type Entity = MailEntity;

    fn id(&self) -> MailId {
        self.id
    }

    fn account(&self) -> AccountId {
        self.account
    }

    fn queued_at(&self) -> OffsetDateTime {
        self.queued_at
    }
}

/// The right to make one attempt at a mail, for a while.
pub type Lease = outbox::Lease<MailEntity>;

/// A mail with the lease to make one attempt at it.
pub type LeasedMail = outbox::Leased<QueuedMail>;
