//! Storing mail to customers, so that their replies can be matched.

use async_trait::async_trait;
use kernel::{EmailAddress, StoreError};

use crate::message::Message;
use crate::queued::QueuedMail;

/// Stores mail to customers.
#[async_trait]
pub trait Correspondence: Send + Sync {
    /// Stores a mail that is about to be sent with this `Message-ID`. Returns its reply address, if the
    /// service receives replies: the same one at each attempt.
    async fn begin(
        &self,
        mail: &QueuedMail,
        message: &Message,
        message_id: &str,
    ) -> Result<Option<EmailAddress>, StoreError>;

    /// Records that the mail server has accepted it.
    async fn sent(&self, mail: &QueuedMail, message: &Message) -> Result<(), StoreError>;
}
