//! Sending e-mail to contacts.

use std::sync::Arc;

use async_trait::async_trait;
use escalations::Channel;
use kernel::{AccountId, EmailAddress};
use mail::{MailId, MailMessage, MailTransport, RenderedMail};
use outbox::Failure;
use time::OffsetDateTime;

use crate::address::Address;
use crate::message::{Message, MessageId};
use crate::reminders::permit::Permit;
use crate::reply_token::ReplyToken;

/// An e-mail to a contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactMail {
    /// The id of the message, from which its `Message-ID` is made.
    pub id: MessageId,
    /// The account in whose name it is sent.
    pub account: AccountId,
    /// The date of the mail, UTC.
    pub at: OffsetDateTime,
    /// What it says.
    pub message: MailMessage,
}

/// A copy of a sent e-mail, for trying the service out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailCopy {
    /// The message.
    pub id: MessageId,
    /// The account in whose name it was sent.
    pub account: AccountId,
    /// The address that it came from.
    pub from: String,
    /// The address that it went to.
    pub to: String,
    /// What it says, as plain text.
    pub text: String,
    /// When it was sent, UTC.
    pub at: OffsetDateTime,
}

/// Keeps copies of e-mail to contacts.
#[async_trait]
pub trait MailCopies: Send + Sync {
    /// Keeps a copy. Keeping it again changes nothing.
    ///
    /// # Errors
    /// A description of what went wrong.
    async fn keep(&self, copy: &MailCopy) -> Result<(), String>;
}

/// Sends e-mail to contacts.
#[derive(Clone)]
pub struct ContactMailer {
    /// The transport to the mail server.
    pub transport: Arc<dyn MailTransport>,
    /// Keeps copies; `None` if none are kept.
    pub copies: Option<Arc<dyn MailCopies>>,
    /// The domain that receives replies, if the service does.
    pub inbound_domain: Option<String>,
}

impl ContactMailer {
    /// The `Message-ID` that a message gets, without angle brackets.
    #[must_use]
    pub fn message_id(&self, id: MessageId) -> String {
        self.transport.message_id(MailId::from_uuid(id.uuid()))
    }

    /// The reply address with a token; `None` if the service receives no replies.
    #[must_use]
    pub fn reply_address(&self, token: &ReplyToken) -> Option<EmailAddress> {
        let domain = self.inbound_domain.as_ref()?;
        EmailAddress::parse(&format!("reply+{token}@{domain}")).ok()
    }

    /// Sends a reminder.
    ///
    /// # Errors
    /// A [`Failure`] of the mail server.
    pub async fn remind(&self, permit: Permit, mail: &ContactMail) -> Result<(), Failure> {
        if !permit.covers(mail.account, Channel::Email, &Address::from(&mail.message.to)) {
            return Err(Failure::Permanent("the permit is for another message".to_owned()));
        }
        self.send(mail).await
    }

    /// Sends an answer of the owner to a contact, which needs no permit.
    ///
    /// # Errors
    /// A [`Failure`] of the mail server.
    pub async fn answer(&self, mail: &ContactMail) -> Result<(), Failure> {
        self.send(mail).await
    }

    async fn send(&self, mail: &ContactMail) -> Result<(), Failure> {
        let rendered = RenderedMail {
            id: MailId::from_uuid(mail.id.uuid()),
            queued_at: mail.at,
            message: mail.message.clone(),
        };
        self.transport.send(&rendered).await?;
        self.keep_copy(mail).await;
        Ok(())
    }

    pub(crate) async fn keep_copy(&self, mail: &ContactMail) {
        let Some(copies) = &self.copies else {
            return;
        };
        let copy = MailCopy {
            id: mail.id,
            account: mail.account,
            from: self.transport.from_address(),
            to: mail.message.to.as_str().to_owned(),
            text: mail.message.text.clone(),
            at: mail.at,
        };
        // The mail is sent: a missing copy must not cause it to be sent again.
        if let Err(error) = copies.keep(&copy).await {
            tracing::warn!(message = %mail.id, error, "the copy of a mail could not be kept");
        }
    }
}

/// The address that a mail goes to: the contact's address as it is written, if the message is for that one.
/// The address of a message is normalised, and a receiving server may tell the spellings of the part before
/// the `@` apart (RFC 5321, 2.4).
pub(crate) fn recipient(message: &Message, present: Option<EmailAddress>) -> EmailAddress {
    let present = present.filter(|email| Address::from(email) == message.address);
    present.unwrap_or_else(|| EmailAddress::from_stored(message.address.as_str().to_owned()))
}

#[cfg(test)]
mod tests {
    use kernel::Id;
    use testkit::{CountingIds, FixedClock};

    use super::*;
    use crate::message::{MessageData, MessagePurpose};

    #[test]
    fn mail_goes_to_the_address_as_the_contact_has_it_unless_that_is_another_one() {
        let (ids, now) = (CountingIds::default(), FixedClock::START);
        let written = EmailAddress::parse("Ada.Οδος@München.example").unwrap();
        let way = (Channel::Email, Address::from(&written));
        let (id, account) = (Id::new(&ids, now), Id::new(&ids, now));
        let message = Message::new(MessageData::outgoing(id, account, MessagePurpose::Answer, way, now));
        let to = |present: Option<&EmailAddress>| recipient(&message, present.cloned()).as_str().to_owned();
        assert_eq!(to(Some(&written)), written.as_str());
        let other = EmailAddress::parse("eve@example.com").unwrap();
        for present in [None, Some(&other)] {
            assert_eq!(to(present), "ada.οδοσ@xn--mnchen-3ya.example");
        }
    }
}
