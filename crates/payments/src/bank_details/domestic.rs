//! Bank codes and account numbers within one country.

use super::stored_text::stored_text;

/// Why a text is not a valid number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DomesticFault {
    /// The text has too many or too few digits, or characters other than digits, blanks and hyphens.
    #[error("must have {0} digits")]
    Digits(&'static str),
    /// The check digit is wrong.
    #[error("is mistyped: its check digit does not fit")]
    Checksum,
}

/// A bank-state-branch number, Australia: six digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bsb(String);

/// A sort code, United Kingdom: six digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortCode(String);

/// An ABA routing number, United States: nine digits, the last of which is a check digit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoutingNumber(String);

/// The number of an account at its bank: 4 to 17 digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountNumber(String);

/// The digits of a text that may contain blanks and hyphens between them.
pub(super) fn digits(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(|c| !c.is_whitespace() && *c != '-').collect();
    digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(digits)
}

impl Bsb {
    /// Parses a BSB.
    pub fn parse(text: &str) -> Result<Self, DomesticFault> {
        let digits = digits(text).filter(|digits| digits.len() == 6);
        digits.map(Self).ok_or(DomesticFault::Digits("6"))
    }

    /// The BSB as printed: `062-000`.
    #[must_use]
    pub fn grouped(&self) -> String {
        self.0.split_at_checked(3).map_or_else(|| self.0.clone(), |(bank, rest)| format!("{bank}-{rest}"))
    }
}

impl SortCode {
    /// Parses a sort code.
    pub fn parse(text: &str) -> Result<Self, DomesticFault> {
        let digits = digits(text).filter(|digits| digits.len() == 6);
        digits.map(Self).ok_or(DomesticFault::Digits("6"))
    }

    /// The sort code as printed: `20-00-00`.
    #[must_use]
    pub fn grouped(&self) -> String {
        let pair = |from: usize| self.0.get(from..from.saturating_add(2)).unwrap_or_default();
        [pair(0), pair(2), pair(4)].join("-")
    }
}

impl RoutingNumber {
    /// Parses a routing number.
    pub fn parse(text: &str) -> Result<Self, DomesticFault> {
        let digits = digits(text).filter(|digits| digits.len() == 9);
        let digits = digits.ok_or(DomesticFault::Digits("9"))?;
        let weighed = digits.bytes().zip([3, 7, 1].into_iter().cycle());
        let sum: u32 = weighed.map(|(byte, weight)| u32::from(byte.wrapping_sub(b'0')) * weight).sum();
        // Zeros alone pass the checksum, but no bank has that number.
        if sum == 0 || !sum.is_multiple_of(10) {
            return Err(DomesticFault::Checksum);
        }
        Ok(Self(digits))
    }
}

impl AccountNumber {
    /// Parses an account number.
    pub fn parse(text: &str) -> Result<Self, DomesticFault> {
        let digits = digits(text).filter(|digits| (4..=17).contains(&digits.len()));
        digits.map(Self).ok_or(DomesticFault::Digits("4 to 17"))
    }
}

stored_text!(Bsb, SortCode, RoutingNumber, AccountNumber);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_read_with_blanks_and_hyphens() {
        assert_eq!(Bsb::parse("062 000").unwrap().grouped(), "062-000");
        assert_eq!(SortCode::parse("20-00-00").unwrap().grouped(), "20-00-00");
        assert_eq!(AccountNumber::parse("1234 5678").unwrap().as_str(), "12345678");
        for bad in ["", "06200", "0620000", "062.000", "06200O", "٠٦٢٠٠٠"] {
            assert_eq!(Bsb::parse(bad), Err(DomesticFault::Digits("6")), "{bad}");
            assert!(SortCode::parse(bad).is_err());
        }
        for bad in ["", "123", "123456789012345678", "DE89"] {
            assert_eq!(AccountNumber::parse(bad), Err(DomesticFault::Digits("4 to 17")), "{bad}");
        }
    }

    #[test]
    fn routing_numbers_of_known_banks_are_read() {
        for known in ["021000021", "011401533", "122105155", "091000019"] {
            assert_eq!(RoutingNumber::parse(known).unwrap().as_str(), known);
        }
        assert_eq!(RoutingNumber::parse("021000022"), Err(DomesticFault::Checksum));
        assert_eq!(RoutingNumber::parse("000000000"), Err(DomesticFault::Checksum));
        assert_eq!(RoutingNumber::parse("02100002"), Err(DomesticFault::Digits("9")));
    }

    proptest! {
        #[test]
        fn mistyped_digit_of_a_routing_number_is_found(place in 0..9_usize, digit in b'0'..=b'9') {
            let mut mistyped = *b"021000021";
            prop_assume!(mistyped[place] != digit);
            mistyped[place] = digit;
            prop_assert!(RoutingNumber::parse(std::str::from_utf8(&mistyped).unwrap()).is_err());
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,30}|[0-9 -]{0,20}") {
            let _ = (Bsb::parse(&text), SortCode::parse(&text), RoutingNumber::parse(&text));
            let _ = AccountNumber::parse(&text);
        }
    }
}
