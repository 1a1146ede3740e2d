//! PayID: an alias of an account at an Australian bank.

use kernel::EmailAddress;

use super::domestic::digits;
use super::stored_text::stored_text;

/// A PayID: an e-mail address, a telephone number, an ABN or ACN, or the name of an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayId(String);

/// The text is not a PayID.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be an e-mail address, an Australian telephone number, an ABN, an ACN or an organisation's PayID"
)]
pub struct NotAPayId;

impl PayId {
    /// Parses a PayID. The check digits of an ABN or ACN must be right.
    pub fn parse(text: &str) -> Result<Self, NotAPayId> {
        let text = text.trim();
        if text.contains('@') {
            let email = EmailAddress::parse(text).map_err(|_fault| NotAPayId)?;
            return Ok(Self(email.as_str().to_owned()));
        }
        if let Some(digits) = digits(text.strip_prefix('+').unwrap_or(text)) {
            return Self::of_digits(digits, text.starts_with('+'));
        }
        let is_name = (3..=100).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
        if is_name { Ok(Self(text.to_owned())) } else { Err(NotAPayId) }
    }

    fn of_digits(digits: String, is_international: bool) -> Result<Self, NotAPayId> {
        let national = digits.strip_prefix('0').filter(|rest| !is_international && rest.len() == 9);
        let international = digits.strip_prefix("61").filter(|rest| rest.len() == 9);
        if let Some(rest) = national.or(international.filter(|_| is_international)) {
            return Ok(Self(format!("+61-{rest}")));
        }
        let is_number = !is_international && (is_abn(&digits) || is_acn(&digits));
        if is_number { Ok(Self(digits)) } else { Err(NotAPayId) }
    }
}

stored_text!(PayId);

fn weighed(digits: &str, weights: &[i32]) -> Option<i32> {
    let values = digits.bytes().map(|byte| i32::from(byte.wrapping_sub(b'0')));
    (digits.len() == weights.len()).then(|| values.zip(weights).map(|(value, weight)| value * weight).sum())
}

/// An Australian Business Number: with 1 subtracted from the first digit, the weighted sum is a multiple of
/// 89.
fn is_abn(digits: &str) -> bool {
    let sum = weighed(digits, &[10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]);
    sum.is_some_and(|sum| (sum - 10).rem_euclid(89) == 0)
}

/// An Australian Company Number: the last digit makes the weighted sum a multiple of 10.
fn is_acn(digits: &str) -> bool {
    weighed(digits, &[8, 7, 6, 5, 4, 3, 2, 1, 1]).is_some_and(|sum| sum.rem_euclid(10) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_form_is_read() {
        for (text, read) in [
            (" accounts@acme.example ", "accounts@acme.example"),
            ("0412 345 678", "+61-412345678"),
            ("+61 412 345 678", "+61-412345678"),
            ("51 824 753 556", "51824753556"),
            ("004 085 616", "004085616"),
            ("acme-bikes.example", "acme-bikes.example"),
        ] {
            assert_eq!(PayId::parse(text).map(|id| id.0).as_deref(), Ok(read), "{text}");
        }
        for bad in ["", "ab", "51 824 753 557", "004 085 617", "12345", "+44 20 7946 0000", "a@b", "a b c"] {
            assert_eq!(PayId::parse(bad), Err(NotAPayId), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn mistyped_digit_of_an_abn_is_found(place in 0..11_usize, digit in b'0'..=b'9') {
            let mut mistyped = *b"51824753556";
            prop_assume!(mistyped[place] != digit);
            mistyped[place] = digit;
            prop_assert!(PayId::parse(std::str::from_utf8(&mistyped).unwrap()).is_err());
        }
    }
}
