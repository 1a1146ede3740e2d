//! The operator's own address, from which every mail is sent.

use lettre::Address;
use lettre::message::Mailbox;
use mail::MailId;

/// The address that mail comes from, with the name that is shown if a message has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SenderAddress(Mailbox);

/// The text is not a sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an address such as invoices@example.com or Countinghouse <invoices@example.com>")]
pub struct NotASender;

impl SenderAddress {
    /// Reads an address, with or without a name before it.
    ///
    /// # Errors
    /// [`NotASender`].
    pub fn parse(text: &str) -> Result<Self, NotASender> {
        if text.chars().any(char::is_control) {
            return Err(NotASender);
        }
        let mailbox: Mailbox = text.trim().parse().map_err(|_unreadable| NotASender)?;
        let email = with_ascii_domain(mailbox.email.as_ref()).ok_or(NotASender)?;
        Ok(Self(Mailbox::new(mailbox.name, email)))
    }

    /// The sender of a message that may have its own name.
    pub(crate) fn under_name(&self, name: Option<&str>) -> Mailbox {
        let name = name.map(str::to_owned).or_else(|| self.0.name.clone());
        Mailbox::new(name, self.0.email.clone())
    }

    /// The address without a name.
    #[must_use]
    pub fn address(&self) -> String {
        self.0.email.to_string()
    }

    /// The `Message-ID` of a mail from this sender, without angle brackets.
    pub(crate) fn message_id(&self, id: MailId) -> String {
        format!("{id}@{}", self.0.email.domain())
    }
}

impl std::fmt::Display for SenderAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
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
    use super::*;

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
