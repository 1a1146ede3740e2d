//! Sending text messages.

use async_trait::async_trait;
use escalations::Channel;
use kernel::AccountId;

use crate::address::Address;
use crate::message::MessageId;
use crate::reminders::permit::Permit;
use crate::sms_text::SmsText;

/// A text message to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingSms {
    /// The id of the message.
    pub message: MessageId,
    /// The account in whose name it is sent.
    pub account: AccountId,
    /// The number that it goes to.
    pub to: Address,
    /// What it says.
    pub text: SmsText,
}

/// Why an attempt did not succeed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SmsError {
    /// The provider refused it: another attempt would end the same.
    #[error("{0}")]
    Refused(String),
    /// The provider refused it because the number opted out there.
    #[error("{0}")]
    OptedOut(String),
    /// It was not accepted, and may be sent again later.
    #[error("{0}")]
    NotAccepted(String),
    /// No response came: the message may be on its way. It is not sent again.
    #[error("{0}")]
    Unknown(String),
}

/// Sends text messages.
#[async_trait]
pub trait SmsSender: Send + Sync {
    /// The number or name that messages come from.
    fn from(&self) -> &str;

    /// Sends a reminder, if the permit is for it. Returns the provider's id of the message, if there is one.
    async fn remind(&self, permit: Permit, sms: &OutgoingSms) -> Result<Option<String>, SmsError> {
        if !permit.covers(sms.account, Channel::Sms, &sms.to) {
            return Err(SmsError::Refused("the permit is for another message".to_owned()));
        }
        self.answer(sms).await
    }

    /// Sends an answer of the owner to a contact, which needs no permit. Returns the provider's id of the
    /// message, if there is one.
    async fn answer(&self, sms: &OutgoingSms) -> Result<Option<String>, SmsError>;
}
