//! The e-mail address or telephone number of a contact, normalised so that two can be compared.

use std::fmt;

use classification::narrow;
use escalations::Channel;
use kernel::EmailAddress;

/// An e-mail address in lower case with its domain in ASCII, or a telephone number of the form `+61412345678`
/// (E.164).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address(String);

/// The text is neither an e-mail address nor a telephone number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an e-mail address, or a telephone number that begins with + and the country's code")]
pub struct NotAnAddress;

impl Address {
    /// How many digits a telephone number has: E.164 allows at most 15, and no subscriber's number has fewer
    /// than 7.
    const DIGITS: std::ops::RangeInclusive<usize> = 7..=15;

    /// Parses an address for a channel: an e-mail address for e-mail, otherwise a telephone number. In a
    /// telephone number, blanks, invisible marks and the usual punctuation are dropped, a leading `00` is
    /// read as `+`, and `(0)`, which is not dialled from abroad, is left out.
    ///
    /// # Errors
    /// [`NotAnAddress`], also for numbers without a country code.
    pub fn parse(channel: Channel, text: &str) -> Result<Self, NotAnAddress> {
        match channel {
            Channel::Email => {
                EmailAddress::parse(text).map(|email| Self::from(&email)).map_err(|_fault| NotAnAddress)
            }
            Channel::Sms | Channel::Voice => Self::number(text),
        }
    }

    fn number(text: &str) -> Result<Self, NotAnAddress> {
        // Numbers that are copied from other programs have other blanks, dashes and digits, and marks of the
        // direction of writing.
        let dense: String = text.chars().filter(|c| !is_blank(*c)).map(narrow).collect();
        let text = dense.replace("(0)", "");
        let text = text.trim_start_matches('(');
        let international = text.strip_prefix('+').or_else(|| text.strip_prefix("00"));
        let mut digits = String::new();
        for c in international.ok_or(NotAnAddress)?.chars() {
            match c {
                '0'..='9' => digits.push(c),
                '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '.' | '/' | '(' | ')' => {}
                _ => return Err(NotAnAddress),
            }
        }
        if !Self::DIGITS.contains(&digits.len()) || digits.starts_with('0') {
            return Err(NotAnAddress);
        }
        Ok(Self(format!("+{digits}")))
    }

    /// The address from the store.
    #[must_use]
    pub const fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The normalised address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Mail is sent to the domain in ASCII, so reports and replies name that one, as the key does.
impl From<&EmailAddress> for Address {
    fn from(email: &EmailAddress) -> Self {
        Self(email.matching_key())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a character is white space or an invisible mark.
fn is_blank(c: char) -> bool {
    let is_mark =
        matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    c.is_whitespace() || is_mark
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_has_one_spelling() {
        for text in [
            "+61412345678",
            " +61 412 345 678",
            "0061-412-345-678",
            "+61 (0) 412.345/678",
            "+61(0)412345678",
            "(+61) 412 345678",
            "(0061) (0)412 345678",
            "\u{202a}+61\u{a0}412\u{202f}345\u{2009}678\u{202c}",
            "\u{200b}\u{200e}+61\u{2011}412\u{2013}345\u{2212}678\u{2069}",
            "\u{2066}\u{2068}\u{2060}\u{feff}+61412345678\u{200f}\u{202e}",
            "＋６１\u{3000}４１２３４５６７８",
        ] {
            let number = Address::parse(Channel::Sms, text);
            assert_eq!(number.as_ref().map(Address::as_str), Ok("+61412345678"), "{text:?}");
        }
    }

    #[test]
    fn number_without_country_or_of_the_wrong_length_is_none() {
        for text in [
            "", "+", "0412345678", "+0412345678", "+123456", "+1234567890123456", "+61 412 ABC 678",
            "+61 412 345 678 \u{b2}", "+61 412 345 678 \u{2460}", "ada@b.example",
        ] {
            assert_eq!(Address::parse(Channel::Voice, text), Err(NotAnAddress), "{text}");
        }
    }

    #[test]
    fn mail_addresses_are_compared_in_lower_case() {
        let address = Address::parse(Channel::Email, "Ada@Example.COM").unwrap();
        assert_eq!(address.as_str(), "ada@example.com");
        assert_eq!(Address::parse(Channel::Email, "+61412345678"), Err(NotAnAddress));
    }

    #[test]
    fn mail_addresses_are_compared_with_their_domain_in_ascii() {
        for (spellings, address) in [
            (
                &[
                    "ada@münchen.example", "Ada@MÜNCHEN.example", "ada@xn--mnchen-3ya.example",
                    "ada@XN--MNCHEN-3YA.Example",
                ][..],
                "ada@xn--mnchen-3ya.example",
            ),
            (&["ada@φίλος.example"], "ada@xn--kxaymmq.example"),
            (&["ädä@straße.example"], "ädä@xn--strae-oqa.example"),
        ] {
            for text in spellings {
                let email = EmailAddress::parse(text).unwrap();
                assert_eq!(Address::from(&email).as_str(), address, "{text}");
            }
        }
    }
}
