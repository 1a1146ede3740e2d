//! What mail needs from outside: a transport to the mail server.

use async_trait::async_trait;

use crate::queued::RenderedMail;

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
