//! What is kept of mail to customers, so that their answers can be matched.

use async_trait::async_trait;
use kernel::{EmailAddress, StoreError};

use crate::message::Message;
use crate::queued::QueuedMail;

/// Keeps what goes to customers.
#[async_trait]
pub trait Correspondence: Send + Sync {
    /// Keeps a mail that is about to be sent under a `Message-ID`. Returns the address that answers to it go
    /// to, where the service reads them: the same one at each attempt.
    async fn begin(
        &self,
        mail: &QueuedMail,
        message: &Message,
        message_id: &str,
    ) -> Result<Option<EmailAddress>, StoreError>;

    /// Notes that the mail server has taken it.
    async fn sent(&self, mail: &QueuedMail, message: &Message) -> Result<(), StoreError>;
}
