//! The secret part of a mail: a link that opens something once is not to be read in the queue, nor in a copy of the database.
//!
//! Such a message says [`Message::SECRET`](crate::Message::SECRET) where the secret belongs, and carries the secret sealed for this one mail. An
//! [`Unsealing`] transport puts it in its place on the way to the mail server, and nowhere else.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use kernel::random::RandomnessUnavailable;
use kernel::{SealingKeys, SecureRandom};

use crate::message::Message;
use crate::ports::{MailTransport, MailTransportError};
use crate::queued::{MailId, QueuedMail};

/// A secret that is sealed for one mail.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedSecret(pub Vec<u8>);

impl SealedSecret {
    /// Seals a secret for a mail, in which alone it opens.
    ///
    /// # Errors
    /// [`RandomnessUnavailable`] when the operating system gives no random bytes.
    pub fn seal(
        keys: &SealingKeys,
        random: &dyn SecureRandom,
        mail: MailId,
        secret: &str,
    ) -> Result<Self, RandomnessUnavailable> {
        let sealed = keys.seal(random, &place(mail), secret.as_bytes());
        sealed.map(Self)
    }
}

impl fmt::Debug for SealedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealedSecret(redacted)")
    }
}

/// A transport that opens secrets for the one behind it.
#[derive(Clone)]
pub struct Unsealing {
    /// What secrets are sealed under.
    pub keys: Arc<SealingKeys>,
    /// The way to the mail server.
    pub transport: Arc<dyn MailTransport>,
}

#[async_trait]
impl MailTransport for Unsealing {
    async fn send(&self, mail: &QueuedMail) -> Result<(), MailTransportError> {
        let Some(sealed) = &mail.message.secret else {
            return self.transport.send(mail).await;
        };
        let lost = |why: &str| MailTransportError::Permanent(why.to_owned());
        let opened = self.keys.open(&place(mail.id), &sealed.0);
        let opened = opened.map_err(|unsealable| lost(&unsealable.to_string()))?;
        let secret =
            String::from_utf8(opened).map_err(|_not_text| lost("its secret is no text"))?;
        let message = &mail.message;
        let opened = QueuedMail {
            message: Message {
                text: message.text.replace(Message::SECRET, &secret),
                html: message.html.replace(Message::SECRET, &secret),
                secret: None,
                ..message.clone()
            },
            ..mail.clone()
        };
        self.transport.send(&opened).await
    }
}

/// What binds a sealed secret to its mail.
fn place(mail: MailId) -> Vec<u8> {
    let mut place = b"outgoing_mail".to_vec();
    place.extend(mail.uuid().as_bytes());
    place
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use kernel::{EmailAddress, Id, SingleLine, SystemRandom};
    use testkit::StillClock;
    use uuid::Uuid;

    use super::*;

    #[derive(Default)]
    struct Keeping(Mutex<Vec<QueuedMail>>);

    #[async_trait]
    impl MailTransport for Keeping {
        async fn send(&self, mail: &QueuedMail) -> Result<(), MailTransportError> {
            self.0.lock().unwrap().push(mail.clone());
            Ok(())
        }
    }

    fn mail(number: u128, keys: &SealingKeys) -> QueuedMail {
        let id = Id::from_uuid(Uuid::from_u128(number));
        let part = format!("go to https://x.example/{}", Message::SECRET);
        let to = EmailAddress::parse("ada@example.com").unwrap();
        let mut message = Message::new(to, SingleLine::parse("Hello").unwrap(), part.clone(), part);
        let sealed = SealedSecret::seal(keys, &SystemRandom::default(), id, "t0ken");
        message.secret = Some(sealed.unwrap());
        QueuedMail {
            id,
            account: Id::from_uuid(Uuid::from_u128(9)),
            about: None,
            message,
            queued_at: StillClock::START,
        }
    }

    #[tokio::test]
    async fn a_secret_is_opened_on_its_way_out_and_in_its_own_mail_alone() {
        let keys = Arc::new(SealingKeys::new(&[5; 32], None));
        let kept = Arc::new(Keeping::default());
        let unsealing = Unsealing {
            keys: keys.clone(),
            transport: kept.clone(),
        };
        let first = mail(1, &keys);
        assert!(!format!("{first:?}").contains("t0ken"));
        unsealing.send(&first).await.unwrap();
        let sent = kept.0.lock().unwrap().pop().unwrap();
        assert_eq!(sent.message.text, "go to https://x.example/t0ken");
        assert_eq!(sent.message.html, sent.message.text);

        let mut moved = mail(2, &keys);
        moved.message.secret = first.message.secret;
        let refused = unsealing.send(&moved).await;
        assert!(matches!(refused, Err(MailTransportError::Permanent(_))));
        assert!(kept.0.lock().unwrap().is_empty());
    }
}
