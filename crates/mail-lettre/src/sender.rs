//! The operator's own address, from which every mail is sent.

use std::fmt;

use lettre::Address;
use lettre::message::Mailbox;
use mail::MailId;
use ring::hmac;

/// The address that mail comes from, with the name that is shown if a message has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SenderAddress {
    mailbox: Mailbox,
    id_key: Option<IdKey>,
}

/// The key of what is added to the ids of mails. It is never printed.
#[derive(Clone, PartialEq, Eq)]
struct IdKey(Vec<u8>);

impl fmt::Debug for IdKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("redacted")
    }
}

/// The text is not a sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an address such as invoices@example.com or Countinghouse <invoices@example.com>")]
pub struct NotASender;

impl SenderAddress {
    /// Reads an address, with or without a name before it.
    pub fn parse(text: &str) -> Result<Self, NotASender> {
        if text.chars().any(char::is_control) {
            return Err(NotASender);
        }
        let mailbox: Mailbox = text.trim().parse().map_err(|_unreadable| NotASender)?;
        let email = with_ascii_domain(mailbox.email.as_ref()).ok_or(NotASender)?;
        Ok(Self { mailbox: Mailbox::new(mailbox.name, email), id_key: None })
    }

    /// The same sender, whose `Message-ID`s have 64 bits that cannot be told without this key. Pages show the
    /// ids of messages, and a `Message-ID` proves to the service that a delivery report comes from a server
    /// that was sent the mail.
    #[must_use]
    pub fn with_id_key(self, key: &[u8]) -> Self {
        Self { id_key: Some(IdKey(key.to_vec())), ..self }
    }

    /// The sender of a message that may have its own name.
    pub(crate) fn under_name(&self, name: Option<&str>) -> Mailbox {
        let name = name.map(str::to_owned).or_else(|| self.mailbox.name.clone());
        Mailbox::new(name, self.mailbox.email.clone())
    }

    /// The address without a name.
    #[must_use]
    pub fn address(&self) -> String {
        self.mailbox.email.to_string()
    }

    /// The `Message-ID` of a mail from this sender, without angle brackets.
    pub(crate) fn message_id(&self, id: MailId) -> String {
        let domain = self.mailbox.email.domain();
        let Some(IdKey(key)) = &self.id_key else {
            return format!("{id}@{domain}");
        };
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), id.to_string().as_bytes());
        let tag: String = tag.as_ref().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        format!("{id}.{tag}@{domain}")
    }
}

impl fmt::Display for SenderAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.mailbox.fmt(f)
    }
}

/// Parses an address and converts its domain to ASCII (RFC 5891): `münchen.example` is
/// `xn--mnchen-3ya.example`.
pub(crate) fn with_ascii_domain(text: &str) -> Option<Address> {
    let (user, domain) = text.rsplit_once('@')?;
    let domain = idna::domain_to_ascii(domain).ok()?;
    Address::new(user, domain).ok()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn message_id_under_a_key_is_fixed_and_differs_with_key_and_mail() {
        let sender = SenderAddress::parse("invoices@example.com").unwrap();
        let [one, other] = [1, 2].map(|n| MailId::from_uuid(Uuid::from_u128(n)));
        let keyed = sender.clone().with_id_key(b"a secret key");
        let id = keyed.message_id(one);
        assert_eq!((keyed.message_id(one), id.len()), (id.clone(), "@example.com".len() + 36 + 17));
        assert!(id.starts_with(&format!("{one}.")), "{id}");
        let tag = |id: &str| id.split(['.', '@']).nth(1).unwrap().to_owned();
        assert_ne!(tag(&id), tag(&keyed.message_id(other)));
        assert_ne!(id, sender.with_id_key(b"another").message_id(one));
        assert!(!format!("{keyed:?}").contains(&format!("{:?}", b"a secret key")), "{keyed:?}");
    }

    #[test]
    fn a_sender_is_an_address_with_or_without_a_name() {
        for (text, name, address) in [
            ("invoices@localhost", None, "invoices@localhost"),
            (" invoices@example.com ", None, "invoices@example.com"),
            ("Counting House <invoices@example.com>", Some("Counting House"), "invoices@example.com"),
            ("rechnung@münchen.example", None, "rechnung@xn--mnchen-3ya.example"),
        ] {
            let sender = SenderAddress::parse(text).unwrap();
            assert_eq!(sender.under_name(None).name.as_deref(), name, "{text}");
            assert_eq!(sender.address(), address);
            assert_eq!(sender.under_name(Some("Acme")).name.as_deref(), Some("Acme"));
        }
    }

    #[test]
    fn what_is_no_address_is_no_sender() {
        for text in [
            "",
            "invoices",
            "invoices@",
            "@example.com",
            "a@example.com\r\nBcc: eve@example.com",
            "A\n <a@example.com>",
            "a@example.com, b@example.com",
        ] {
            assert_eq!(SenderAddress::parse(text), Err(NotASender), "{text:?}");
        }
    }
}
