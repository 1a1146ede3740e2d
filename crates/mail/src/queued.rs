//! A mail on its way: queued, and leased for one attempt.

use kernel::{AccountId, Entity, Id};
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

/// The right to make one attempt at a mail, for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// The mail.
    pub id: MailId,
    /// The account in whose name it is sent.
    pub account: AccountId,
    /// Which attempt this is, from 1. Each lease counts, so two holders of leases on one mail have different numbers.
    pub attempt: u32,
}

/// A mail with the lease to make one attempt at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeasedMail {
    /// The mail.
    pub mail: QueuedMail,
    /// Which attempt this is, from 1.
    pub attempt: u32,
}

impl LeasedMail {
    /// The lease alone.
    #[must_use]
    pub const fn lease(&self) -> Lease {
        Lease {
            id: self.mail.id,
            account: self.mail.account,
            attempt: self.attempt,
        }
    }
}
