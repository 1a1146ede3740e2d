//! What the routes of inbound messages are opened by.

use std::fmt;

/// The secrets that providers of mail and text messages show, and whether answers to mail come in at all.
#[derive(Clone, Default)]
pub struct InboundAccess {
    /// The secret part of the address that raw mail is sent to; no mail is taken without one.
    pub mail_token: Option<String>,
    /// What Twilio signs its calls with; none are taken without it.
    pub twilio_auth_token: Option<String>,
    /// The domain that answers go to; without one they go to the owner's own mailbox.
    pub domain: Option<String>,
    /// Whether text messages can be sent.
    pub sends_texts: bool,
}

impl fmt::Debug for InboundAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InboundAccess").field("domain", &self.domain).finish_non_exhaustive()
    }
}
