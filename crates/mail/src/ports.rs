//! What mail needs from outside: a place in transactions, a queue, a way to the mail server.

use async_trait::async_trait;
use kernel::StoreError;
use outbox::Queue;

use crate::queued::QueuedMail;

/// The outgoing mail of the transaction's account.
#[async_trait]
pub trait OutgoingMail: Send {
    /// Queues a mail, due at once. Workers see it once it is committed.
    async fn queue(&mut self, mail: &QueuedMail) -> Result<(), StoreError>;
}

/// The mails that wait for delivery, of every account. Several processes share it.
pub type MailQueue = dyn Queue<QueuedMail>;

/// Why a mail did not go.
pub type MailTransportError = outbox::Failure;

/// A way to the mail server.
#[async_trait]
pub trait MailTransport: Send + Sync {
    /// Hands a mail over. `Ok` when the other side has taken the responsibility for it.
    ///
    /// An implementation ends well within [`outbox::LEASE`], and gives each attempt at a mail the same
    /// `Message-ID`, made of its id.
    async fn send(&self, mail: &QueuedMail) -> Result<(), MailTransportError>;
}
