//! The secret part of a mail: a link that works once must not be readable in the queue or in a copy of the
//! database.
//!
//! The payload carries the secret sealed for its own mail. The template opens it when the mail is rendered.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kernel::random::RandomnessUnavailable;
use kernel::{SealingKeys, SecureRandom};
use zeroize::Zeroizing;

use crate::queued::MailId;
use crate::template::RenderError;

/// A secret that is sealed for one mail.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedMailSecret(Vec<u8>);

impl SealedMailSecret {
    /// Seals a secret for a mail. It can be opened for that mail only.
    pub fn seal(
        keys: &SealingKeys,
        random: &dyn SecureRandom,
        mail: MailId,
        secret: &str,
    ) -> Result<Self, RandomnessUnavailable> {
        keys.seal(random, &context(mail), secret.as_bytes()).map(Self)
    }

    /// The sealed bytes as text for a payload.
    #[must_use]
    pub fn to_base64(&self) -> String {
        STANDARD.encode(&self.0)
    }

    /// Opens the secret of a mail's payload.
    ///
    /// # Errors
    /// [`RenderError::WrongKey`] when the text was sealed for another mail or under another key, or was
    /// changed; [`RenderError::Payload`] when it has another form.
    pub fn open_base64(
        keys: &SealingKeys,
        mail: MailId,
        text: &str,
    ) -> Result<Zeroizing<String>, RenderError> {
        let unreadable = RenderError::Payload("its secret is not base64");
        let sealed = STANDARD.decode(text).map_err(|_fault| unreadable)?;
        let opened = keys.open(&context(mail), &sealed).map_err(|_fault| RenderError::WrongKey)?;
        let text =
            String::from_utf8(opened).map_err(|_fault| RenderError::Payload("its secret is not text"))?;
        Ok(Zeroizing::new(text))
    }
}

impl fmt::Debug for SealedMailSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealedSecret(redacted)")
    }
}

/// What binds a sealed secret to its mail.
fn context(mail: MailId) -> Vec<u8> {
    let mut context = b"outgoing_mail".to_vec();
    context.extend(mail.uuid().as_bytes());
    context
}

#[cfg(test)]
mod tests {
    use kernel::{Id, SystemRandom};
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_sealed_secret_opens_for_its_own_mail_only() {
        let keys = SealingKeys::new(&[5; 32], None);
        let [own, other] = [1, 2].map(|n| Id::from_uuid(Uuid::from_u128(n)));
        let sealed = SealedMailSecret::seal(&keys, &SystemRandom::default(), own, "t0ken").unwrap();
        assert!(!format!("{sealed:?}").contains("t0ken"));
        let text = sealed.to_base64();
        assert_eq!(*SealedMailSecret::open_base64(&keys, own, &text).unwrap(), "t0ken");
        assert!(SealedMailSecret::open_base64(&keys, other, &text).is_err());
        assert!(SealedMailSecret::open_base64(&keys, own, "?").is_err());
        let other_keys = SealingKeys::new(&[6; 32], None);
        let refused = SealedMailSecret::open_base64(&other_keys, own, &text);
        assert!(matches!(refused, Err(RenderError::WrongKey)), "{refused:?}");
    }
}
