//! What the routes of inbound messages are opened by.

use std::fmt;
use std::sync::Arc;

use communications::SmsCallbacks;
use subtle::ConstantTimeEq as _;

/// The secrets that providers of mail and text messages show, and whether answers to mail come in at all.
#[derive(Clone, Default)]
pub struct InboundAccess {
    /// The secret part of the address that raw mail is sent to; no mail is taken without one.
    pub mail_token: Option<String>,
    /// Reads the calls of the provider of text messages; none are taken without it.
    pub text_callbacks: Option<Arc<dyn SmsCallbacks>>,
    /// The domain that answers go to; without one they go to the owner's own mailbox.
    pub domain: Option<String>,
    /// Whether text messages can be sent.
    pub sends_texts: bool,
    /// The host of the language model that the operator has set.
    pub language_model_host: Option<String>,
}

impl InboundAccess {
    /// Whether mail is taken with a token. The comparison takes the same time wherever the two differ.
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
