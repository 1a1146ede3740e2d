//! The secret part of a mail: a link that works once must not be readable in the queue or in a copy of the
//! database.
//!
//! The payload carries the secret sealed for its own mail. The template opens it when the mail is rendered.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kernel::{SealingKeys, SecureRandom};
use zeroize::Zeroizing;

use crate::queued::MailId;
use crate::template::RenderError;

/// Seals a secret for the payload of a mail, in base64. It can be opened for that mail only.
#[must_use]
pub fn seal_secret(keys: &SealingKeys, random: &dyn SecureRandom, mail: MailId, secret: &str) -> String {
    STANDARD.encode(keys.seal(random, &context(mail), secret.as_bytes()))
}

/// Opens the sealed secret of a mail's payload.
///
/// # Errors
/// [`RenderError::WrongKey`] when the text was sealed for another mail or under another key, or was changed;
/// [`RenderError::Payload`] when it has another form.
pub fn open_secret(keys: &SealingKeys, mail: MailId, sealed: &str) -> Result<Zeroizing<String>, RenderError> {
    let unreadable = RenderError::Payload("its secret is not base64");
    let sealed = STANDARD.decode(sealed).map_err(|_fault| unreadable)?;
    let opened = keys.open(&context(mail), &sealed).map_err(|_fault| RenderError::WrongKey)?;
    let text = String::from_utf8(opened).map_err(|_fault| RenderError::Payload("its secret is not text"))?;
    Ok(Zeroizing::new(text))
}

/// What binds a sealed secret to its mail.
fn context(mail: MailId) -> Vec<u8> {
    [b"outgoing_mail", &mail.uuid().as_bytes()[..]].concat()
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
        let text = seal_secret(&keys, &SystemRandom::default(), own, "t0ken");
        assert_eq!(*open_secret(&keys, own, &text).unwrap(), "t0ken");
        // What is queued stays readable: the format does not change.
        let stored = "AfhJ1nMAAQIDBAUGBwgJCguunu3MIOafIlhJE8b2Cgc2BQx2KU0=";
        assert_eq!(*open_secret(&keys, own, stored).unwrap(), "t0ken");
        assert!(open_secret(&keys, other, &text).is_err());
        assert!(open_secret(&keys, own, "?").is_err());
        let other_keys = SealingKeys::new(&[6; 32], None);
        let refused = open_secret(&other_keys, own, &text);
        assert!(matches!(refused, Err(RenderError::WrongKey)), "{refused:?}");
    }
}
