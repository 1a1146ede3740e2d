//! E-mail addresses.

use std::fmt;

/// An e-mail address, kept as written and compared without regard to case.
#[derive(Clone, Debug)]
pub struct EmailAddress(String);

/// The text is not an e-mail address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an e-mail address of at most {} characters", EmailAddress::MAX_LENGTH)]
pub struct NotAnEmailAddress;

impl EmailAddress {
    /// The longest accepted address, in bytes (RFC 5321 allows a path of 254).
    pub const MAX_LENGTH: usize = 254;

    /// Parses an address; surrounding blanks are dropped.
    ///
    /// # Errors
    /// [`NotAnEmailAddress`], also for addresses with a display name, a bare IP address or a quoted local
    /// part, since no mail to customers is sent to them.
    pub fn parse(text: &str) -> Result<Self, NotAnEmailAddress> {
        let text = text.trim();
        let options = email_address::Options::default()
            .with_required_tld()
            .without_display_text()
            .without_domain_literal();
        let quoted = text.contains(['"', '\\']);
        let sane = text.len() <= Self::MAX_LENGTH && !quoted && !text.chars().any(char::is_control);
        match email_address::EmailAddress::parse_with_options(text, options) {
            Ok(_) if sane => Ok(Self(text.to_owned())),
            _ => Err(NotAnEmailAddress),
        }
    }

    /// An address from the store, which [`EmailAddress::parse`] accepted before it was stored.
    #[must_use]
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The address as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A key that all spellings of one address share: the address in lower case, independent of a letter's
    /// position in a word (final sigma becomes sigma). The store's unique indexes contain it.
    #[must_use]
    pub fn matching_key(&self) -> String {
        let lower = self.0.chars().flat_map(char::to_lowercase);
        lower.map(|letter| if letter == 'ς' { 'σ' } else { letter }).collect()
    }
}

impl PartialEq for EmailAddress {
    fn eq(&self, other: &Self) -> bool {
        self.matching_key() == other.matching_key()
    }
}

impl Eq for EmailAddress {}

impl fmt::Display for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn addresses_match_whatever_their_case() {
        let address = EmailAddress::parse(" Ada@Example.com ").unwrap();
        assert_eq!(address.as_str(), "Ada@Example.com");
        assert_eq!(address, EmailAddress::parse("ada@EXAMPLE.COM").unwrap());
        let greek = EmailAddress::parse("οδος@example.com").unwrap();
        for spelling in ["ΟΔΟΣ@example.com", "οδοσ@example.com"] {
            assert_eq!(greek, EmailAddress::parse(spelling).unwrap());
        }
    }

    #[test]
    fn malformed_addresses_are_refused() {
        let long = format!("{}@example.com", "a".repeat(250));
        for text in [
            "",
            "ada",
            "ada@",
            "@example.com",
            "ada@example",
            "Ada <ada@example.com>",
            "ada@[127.0.0.1]",
            "a b@example.com",
            "ada@example.com\r\nBcc: x@example.com",
            "\"a\"@example.com",
            "ada@exa mple.com",
            "ada\0@example.com",
            &long,
        ] {
            assert!(EmailAddress::parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_taken_can_stand_in_a_header(text in "[!-~]{1,20}@[a-z0-9.-]{1,20}|\\PC{0,40}|[ -~\r\n\t]{0,30}@[ -~\r\n]{0,20}[.]com") {
            if let Ok(address) = EmailAddress::parse(&text) {
                let shown = address.as_str();
                prop_assert!(shown.len() <= EmailAddress::MAX_LENGTH && shown.contains('@'));
                let breaks = |c: char| c.is_control() || c.is_whitespace() || "<>,;\"()".contains(c);
                prop_assert!(!shown.contains(breaks), "{shown:?}");
                prop_assert_eq!(EmailAddress::parse(shown), Ok(address.clone()));
            }
        }
    }
}
