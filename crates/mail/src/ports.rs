//! What mail needs from outside: a transport to the mail server.

use async_trait::async_trait;

use crate::queued::{MailId, RenderedMail};

/// Why a mail was not sent.
pub type MailTransportError = outbox::Failure;

/// A transport to the mail server.
#[async_trait]
pub trait MailTransport: Send + Sync {
    /// The `Message-ID` that [`send`](Self::send) gives a mail, without angle brackets. It is known before
    /// sending.
    fn message_id(&self, id: MailId) -> String;

    /// The address that mail comes from, without a name.
    #[expect(clippy::wrong_self_convention, reason = "it converts nothing: it is the address of `From`")]
    fn from_address(&self) -> String;

    /// Hands a mail over. `Ok` when the other side has accepted responsibility for it.
    ///
    /// An implementation returns well within [`outbox::LEASE`], and gives each attempt at a mail the same
    /// `Message-ID`.
    async fn send(&self, mail: &RenderedMail) -> Result<(), MailTransportError>;
}
