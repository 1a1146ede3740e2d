//! The secrets of the routes for inbound messages, and which ways of communication the operator has set.

use std::fmt;
use std::sync::Arc;

use communications::SmsCallbacks;
use subtle::ConstantTimeEq as _;

/// The secrets with which providers of mail and text messages authenticate, and which ways of communication
/// the operator has set.
#[derive(Clone, Default)]
pub struct InboundAccess {
    /// The secret part of the URL that raw mail is sent to; without one no mail is accepted.
    pub mail_token: Option<String>,
    /// Reads the callbacks of the provider of text messages; without it none are accepted.
    pub text_callbacks: Option<Arc<dyn SmsCallbacks>>,
    /// The domain that replies go to; without one they go to the owner's own mailbox.
    pub domain: Option<String>,
    /// Whether text messages can be sent.
    pub sends_texts: bool,
    /// The host of the language model that the operator has set.
    pub language_model_host: Option<String>,
}

impl InboundAccess {
    /// Whether mail with this token is accepted. The comparison takes constant time.
    pub(crate) fn takes_mail(&self, token: &str) -> bool {
        let known = self.mail_token.as_deref().filter(|known| !known.is_empty());
        known.is_some_and(|known| known.as_bytes().ct_eq(token.as_bytes()).into())
    }
}

impl fmt::Debug for InboundAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InboundAccess").field("domain", &self.domain).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_is_taken_with_the_token_that_is_set_alone() {
        let of = |token: Option<&str>| InboundAccess {
            mail_token: token.map(str::to_owned),
            ..InboundAccess::default()
        };
        assert!(of(Some("s3cret")).takes_mail("s3cret"));
        for wrong in ["", "s3cre", "s3cret1", "S3cret"] {
            assert!(!of(Some("s3cret")).takes_mail(wrong), "{wrong}");
        }
        assert!(!of(None).takes_mail("") && !of(Some("")).takes_mail(""));
    }
}
