//! The forms of a mail, from the transaction that queues it to the attempt that sends it.

use std::fmt;

use kernel::{AccountId, EmailAddress};
use outbox::JobId;
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::message::MailMessage;

/// The id of a mail: that of its job.
pub type MailId = JobId;

/// Who reads a mail. This decides whether it is held while its account is switched off or has its
/// communications off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// A customer of the account. Held while the account is switched off or `communications_enabled` is
    /// false.
    Customer,
    /// The owner of the account. Always sent.
    Owner,
}

/// A mail that a transaction queues: its template and recipient, and a snapshot of what may change until it
/// is sent.
#[derive(Clone, PartialEq, Eq)]
pub struct NewMail {
    /// The mail's id; every attempt carries it.
    pub id: MailId,
    /// The account in whose name it is sent.
    pub account: AccountId,
    /// The record that it is about, such as an invoice.
    pub resource_id: Option<Uuid>,
    /// The name of the template that renders it.
    pub template: &'static str,
    /// Who reads it.
    pub audience: Audience,
    /// The only address that it is sent to.
    pub to: EmailAddress,
    /// What the template needs ([`payload`](crate::payload)).
    pub payload: Value,
    /// When it was queued, UTC. This is also the date that its reader sees, whichever attempt succeeds.
    pub queued_at: OffsetDateTime,
}

/// A mail to render and send.
#[derive(Clone, PartialEq, Eq)]
pub struct QueuedMail {
    /// The mail's id.
    pub id: MailId,
    /// The account in whose name it is sent.
    pub account: AccountId,
    /// The name of the template that renders it.
    pub template: String,
    /// The only address that it is sent to.
    pub to: EmailAddress,
    /// What the template needs.
    pub payload: Value,
    /// The account's letterhead as it was at the commit, as JSON; only mail to customers has one.
    pub letterhead: Option<String>,
    /// When it was queued, UTC.
    pub queued_at: OffsetDateTime,
}

/// As an attempt gets it, without a letterhead: for tests of templates.
impl From<NewMail> for QueuedMail {
    fn from(mail: NewMail) -> Self {
        let NewMail { id, account, resource_id: _, template, audience: _, to, payload, queued_at } = mail;
        Self { id, account, template: template.to_owned(), to, payload, letterhead: None, queued_at }
    }
}

/// A mail as it goes to the mail server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedMail {
    /// The mail's id. The `Message-ID` is derived from it.
    pub id: MailId,
    /// The date of the message, UTC.
    pub queued_at: OffsetDateTime,
    /// What it says.
    pub message: MailMessage,
}

/// Without the payload: it holds links to payment pages and sealed secrets.
impl fmt::Debug for NewMail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("NewMail");
        shown.field("id", &self.id).field("template", &self.template);
        shown.field("to", &self.to).finish_non_exhaustive()
    }
}

impl fmt::Debug for QueuedMail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("QueuedMail");
        shown.field("id", &self.id).field("template", &self.template);
        shown.field("to", &self.to).finish_non_exhaustive()
    }
}
