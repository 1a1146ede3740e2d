//! Storing mail to customers, so that their replies can be matched.

use async_trait::async_trait;
use kernel::{EmailAddress, StoreResult};
use time::OffsetDateTime;

use crate::message::MailMessage;
use crate::queued::QueuedMail;

/// What becomes of a mail that is about to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendDecision {
    /// It is sent.
    Send {
        /// The reply address, if the service receives replies: the same one at each attempt.
        reply_to: Option<EmailAddress>,
        /// When the attempt began, to be passed to [`Correspondence::not_accepted`]; `None` if an earlier
        /// attempt may have been accepted, which this one cannot change.
        began_at: Option<OffsetDateTime>,
    },
    /// It was sent, and only the outcome of its job was not recorded. It is not sent again.
    AlreadySent,
    /// It failed, and only the outcome of its job was not recorded. It is not tried again.
    FailedBefore,
    /// It is given up, for this reason: its reader must not be written to any more, or what it says is
    /// no longer so.
    Unwanted(&'static str),
}

/// Stores mail to customers.
#[async_trait]
pub trait Correspondence: Send + Sync {
    /// Stores a mail that is about to be sent with this `Message-ID`, unless it must not be sent any more.
    async fn begin(
        &self,
        mail: &QueuedMail,
        message: &MailMessage,
        message_id: &str,
    ) -> StoreResult<SendDecision>;

    /// Records that the mail server has accepted it.
    async fn sent(&self, mail: &QueuedMail, message: &MailMessage) -> StoreResult<()>;

    /// Records that the attempt which began at an instant sent nothing: the mail server did not accept it, or
    /// the mail is held. Not called while that is unknown. Changes nothing if another attempt has begun.
    async fn not_accepted(&self, mail: &QueuedMail, began_at: OffsetDateTime) -> StoreResult<()>;

    /// Records that it was given up for this reason, even if no attempt began: that it failed, or was dropped
    /// on purpose.
    async fn failed(&self, mail: &QueuedMail, reason: &str) -> StoreResult<()>;
}
