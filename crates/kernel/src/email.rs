//! E-mail addresses.

use std::fmt;

use crate::text::lower_case;

/// An e-mail address, kept as written, and compared without regard to case and with its domain in ASCII.
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
    /// [`NotAnEmailAddress`], also for addresses with a display name, an IP address in brackets or a quoted
    /// local part, since no mail to customers is sent to them. The domain must be valid in ASCII, in which
    /// mail is sent to it; whether there can be such a domain is not checked: `a@1.2.3.4` is accepted.
    pub fn parse(text: &str) -> Result<Self, NotAnEmailAddress> {
        let text = text.trim();
        let options = email_address::Options::default()
            .with_required_tld()
            .without_display_text()
            .without_domain_literal();
        let quoted = text.contains(['"', '\\']);
        let sane = text.len() <= Self::MAX_LENGTH && !quoted && !text.chars().any(char::is_control);
        let for_mail = with_ascii_domain(text).ok_or(NotAnEmailAddress)?;
        match email_address::EmailAddress::parse_with_options(&for_mail, options) {
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
    /// position in a word (final sigma becomes sigma), and with the domain that mail is sent to, which is in
    /// ASCII (RFC 5891): `münchen.example` is `xn--mnchen-3ya.example`. The store's unique indexes contain
    /// the key.
    #[must_use]
    pub fn matching_key(&self) -> String {
        // The domain is converted as it was written: in lower case it may be another one.
        lower_case(&self.with_ascii_domain())
    }

    /// The address with its domain in ASCII and in lower case, as mail is sent to it.
    #[must_use]
    pub fn with_ascii_domain(&self) -> String {
        with_ascii_domain(&self.0).unwrap_or_else(|| self.0.clone())
    }
}

/// The address with its domain in ASCII; `None` where the domain cannot be converted.
fn with_ascii_domain(address: &str) -> Option<String> {
    let (local, domain) = address.rsplit_once('@')?;
    Some(format!("{local}@{}", idna::domain_to_ascii(domain).ok()?))
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
    fn addresses_match_whatever_the_spelling_of_their_domain() {
        let key = |text: &str| EmailAddress::parse(text).unwrap().matching_key();
        for (spellings, expected) in [
            (
                &[
                    "ada@münchen.example", "Ada@MÜNCHEN.Example", "ada@xn--mnchen-3ya.example",
                    "ada@XN--MNCHEN-3YA.example",
                ][..],
                "ada@xn--mnchen-3ya.example",
            ),
            (&["ädä@straße.example", "ÄDÄ@xn--strae-oqa.example"], "ädä@xn--strae-oqa.example"),
            (&["ädä@strasse.example"], "ädä@strasse.example"),
            // These are two domains; in a local part the two letters are one.
            (&["ς@φίλος.example", "σ@φίλος.example"], "σ@xn--kxaymmq.example"),
            (&["ς@φίλοσ.example", "Σ@ΦΊΛΟΣ.example"], "σ@xn--kxaymql.example"),
        ] {
            for text in spellings {
                assert_eq!(key(text), expected, "{text}");
            }
        }
    }

    #[test]
    fn domain_in_any_script_is_accepted_as_its_form_in_ascii_is() {
        for (text, key) in [
            ("info@हिन्दी.भारत", "info@xn--j2bd4cyah0f.xn--h2brj9c"),
            ("ada@mu\u{308}nchen.example", "ada@xn--mnchen-3ya.example"),
            (
                // 72 bytes.
                "ada@очень-длинное-название-компании-россии.рф",
                "ada@xn-------63dabnpicexkgdaba8ak7aieaceggimg1a3byba3qrh.xn--p1ai",
            ),
        ] {
            assert_eq!(EmailAddress::parse(text).unwrap().matching_key(), key);
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
            "ada@exa\u{3000}mple.भारत",
            "ada@example.भारत；example.com",
            // No mail could be sent to these domains.
            "ada@xn--a.example",
            "ada@xn--a.Ü.example",
            "ada@٣.com",
            "ada@⑴.com",
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

        #[test]
        fn address_with_a_domain_in_any_script_has_a_form_for_mail(domain in "[a-z]{0,3}[\u{ad}\u{200b}\u{300}-\u{30f}\u{900}-\u{94f}\u{e01}-\u{e4e}\u{ff00}-\u{ff60}a-z.]{1,9}[.](भारत|ไทย|example)") {
            if let Ok(address) = EmailAddress::parse(&format!("ada@{domain}")) {
                prop_assert!(!address.as_str().contains(|c: char| c.is_control() || c.is_whitespace()), "{}", domain);
                let for_mail = address.with_ascii_domain();
                prop_assert!(for_mail.is_ascii(), "{}", for_mail);
                prop_assert_eq!(EmailAddress::parse(&for_mail), Ok(address.clone()));
            }
        }

        #[test]
        fn key_of_an_address_in_ascii_is_the_address_in_lower_case(text in "[!-~]{1,20}@([a-zA-Z0-9-]{1,9}[.]|xn--[a-z0-9-]{1,9}[.]){1,3}[a-zA-Z]{2,5}") {
            if let Ok(address) = EmailAddress::parse(&text) {
                prop_assert_eq!(address.matching_key(), text.to_ascii_lowercase());
            }
        }

        #[test]
        fn both_spellings_of_a_domain_have_one_key(local in "[a-zA-Zà-ÿ]{1,9}", domain in "([a-zA-Z0-9À-ɏΑ-ωА-я一-龥]{1,12}[.]){1,3}[a-zà-ÿ]{2,5}") {
            let address = EmailAddress::parse(&format!("{local}@{domain}"));
            let ascii = idna::domain_to_ascii(&domain);
            if let (Ok(address), Ok(ascii)) = (address, ascii) {
                let (shown, _) = idna::domain_to_unicode(&ascii);
                for domain in [ascii.to_uppercase(), ascii, shown] {
                    let spelled = EmailAddress::from_stored(format!("{local}@{domain}"));
                    prop_assert_eq!(spelled.matching_key(), address.matching_key(), "{}", domain);
                }
            }
        }
    }
}
