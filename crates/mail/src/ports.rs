//! What mail needs from outside: a place in transactions, a queue, a transport to the mail server.

use async_trait::async_trait;
use kernel::StoreError;
use outbox::Queue;

use crate::queued::{NewMail, QueuedMail, RenderedMail};

/// The outgoing mail of the transaction's account.
#[async_trait]
pub trait OutgoingMail: Send {
    /// Queues a mail, due at once. Workers see it once it is committed.
    ///
    /// It takes one statement. For a mail to a customer that statement also notes the account's letterhead
    /// ([`QueuedMail::letterhead`]): one JSON object with the account's columns `company_name`, `phone`,
    /// `abn`, `address_line1`, `address_city`, `address_state`, `address_postal_code`, `address_country`,
    /// `brand_color`, `logo_key` and the owner's `email`.
    async fn queue(&mut self, mail: NewMail) -> Result<(), StoreError>;
}

/// The mails that wait for delivery, of every account. Several processes share it.
pub type MailQueue = dyn Queue<QueuedMail>;

/// Why a mail was not sent.
pub type MailTransportError = outbox::Failure;

/// A way to the mail server.
#[async_trait]
pub trait MailTransport: Send + Sync {
    /// Hands a mail over. `Ok` when the other side has taken the responsibility for it.
    ///
    /// An implementation ends well within [`outbox::LEASE`], and gives each attempt at a mail the same
    /// `Message-ID`, made of its id.
    async fn send(&self, mail: &RenderedMail) -> Result<(), MailTransportError>;
}
