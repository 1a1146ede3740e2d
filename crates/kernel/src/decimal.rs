//! Exact decimal numbers, converted from and to JSON text without floats.

use std::fmt;

use crate::digits::{self, push_digits};

/// An exact decimal number with at most four fraction digits: a quantity, a unit amount, a tax rate.
///
/// Stored as a whole number of ten-thousandths, so that arithmetic is integer arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Decimal(i64);

/// Why a number's text is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecimalFault {
    /// The text is not a number as JSON writes it (RFC 8259, section 6).
    #[error("must be a number")]
    Malformed,
    /// More fraction digits than the field allows, not counting trailing zeros.
    #[error("must have at most {0} decimals")]
    TooManyDecimals(u32),
    /// The number is too large.
    #[error("is too large")]
    OutOfRange,
    /// An amount that a person enters is not written plainly.
    #[error("must be written with digits, and a point before the decimals")]
    NotPlain,
}

impl Decimal {
    /// The number of stored fraction digits.
    pub const DECIMALS: u32 = 4;
    /// Zero.
    pub const ZERO: Self = Self(0);
    /// One.
    pub const ONE: Self = Self(10_000);

    /// Parses a JSON number; `1e2`, `1.50` and `-0` are accepted.
    ///
    /// # Errors
    /// A [`DecimalFault`].
    ///
    /// ```
    /// use kernel::Decimal;
    /// assert_eq!(Decimal::parse("1.5000e1").unwrap().to_string(), "15");
    /// assert!(Decimal::parse("0.00001").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, DecimalFault> {
        parse_scaled(text, Self::DECIMALS).map(Self)
    }

    /// The number from a whole number of ten-thousandths, as the store keeps it.
    #[must_use]
    pub const fn from_ten_thousandths(value: i64) -> Self {
        Self(value)
    }

    /// The number as a whole number of ten-thousandths.
    #[must_use]
    pub const fn ten_thousandths(self) -> i64 {
        self.0
    }

    /// Writes the number with at least `least` fraction digits: `1.5` with 2 is `1.50`.
    #[must_use]
    pub fn text_with_at_least(self, least: u32) -> String {
        let mut text = scaled_text(self.0, Self::DECIMALS);
        for _ in least..Self::DECIMALS {
            if text.ends_with('0') {
                text.pop();
            }
        }
        if text.ends_with('.') {
            text.pop();
        }
        text
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text_with_at_least(0))
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Parses a JSON number as a whole number of units of 10^-`decimals`.
pub(crate) fn parse_scaled(text: &str, decimals: u32) -> Result<i64, DecimalFault> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = split_exponent(rest)?;
    let (whole, fraction) = split_fraction(mantissa)?;
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Ok(0);
    }
    // The value is `significant` x 10^power. If the power is still negative after scaling, there are too many
    // decimals.
    let dropped = i64_len(&digits)? - i64_len(digits.trim_end_matches('0'))?;
    let power = exponent.saturating_add(dropped).saturating_sub(i64_len(fraction)?);
    let shift = power.saturating_add(i64::from(decimals));
    if shift < 0 {
        return Err(DecimalFault::TooManyDecimals(decimals));
    }
    let shift = u32::try_from(shift).map_err(|_too_large| DecimalFault::OutOfRange)?;
    let value = significant
        .parse::<i64>()
        .ok()
        .zip(10_i64.checked_pow(shift))
        .and_then(|(digits, factor)| digits.checked_mul(factor))
        .ok_or(DecimalFault::OutOfRange)?;
    Ok(if negative { -value } else { value })
}

/// Writes a whole number of units of 10^-`decimals` with exactly that many fraction digits.
pub(crate) fn scaled_text(value: i64, decimals: u32) -> String {
    let factor = 10_u64.saturating_pow(decimals);
    let magnitude = value.unsigned_abs();
    let (whole, fraction) = (magnitude / factor, magnitude % factor);
    let mut text = String::with_capacity(24);
    if value < 0 {
        text.push('-');
    }
    push_digits(&mut text, whole, digits::count(whole));
    if decimals > 0 {
        text.push('.');
        push_digits(&mut text, fraction, usize::try_from(decimals).unwrap_or_default());
    }
    text
}

fn split_exponent(text: &str) -> Result<(&str, i64), DecimalFault> {
    let Some((mantissa, exponent)) = text.split_once(['e', 'E']) else {
        return Ok((text, 0));
    };
    let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    if digits.is_empty() || !all_digits(digits) {
        return Err(DecimalFault::Malformed);
    }
    // An exponent outside `i64` is far beyond any amount; its sign still determines the fault.
    let size = digits.parse::<i64>().unwrap_or(i64::MAX);
    Ok((mantissa, if exponent.starts_with('-') { -size } else { size }))
}

fn split_fraction(mantissa: &str) -> Result<(&str, &str), DecimalFault> {
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((_, "")) => return Err(DecimalFault::Malformed),
        Some(parts) => parts,
        None => (mantissa, ""),
    };
    let leading_zero = whole.len() > 1 && whole.starts_with('0');
    if whole.is_empty() || leading_zero || !all_digits(whole) || !all_digits(fraction) {
        return Err(DecimalFault::Malformed);
    }
    Ok((whole, fraction))
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn i64_len(text: &str) -> Result<i64, DecimalFault> {
    i64::try_from(text.len()).map_err(|_too_long| DecimalFault::OutOfRange)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_read_as_json_writes_them() {
        for (text, ten_thousandths) in [
            ("0", 0),
            ("-0", 0),
            ("0.0000000", 0),
            ("1", 10_000),
            ("1.5", 15_000),
            ("-1.2345", -12_345),
            ("1e2", 1_000_000),
            ("1E+2", 1_000_000),
            ("1.5000e-3", 15),
            ("12300e-6", 123),
            ("0e999999999999999999999", 0),
            ("1.50000000000000000000000000000000000000", 15_000),
        ] {
            assert_eq!(Decimal::parse(text).map(Decimal::ten_thousandths), Ok(ten_thousandths), "{text}");
        }
    }

    #[test]
    fn malformed_and_too_large_numbers_are_refused() {
        for text in ["", "-", "+1", "1.", ".5", "01", "1e", "1e+", "0x1", "NaN", "1,5", "1 ", "--1", "1e1.5"]
        {
            assert_eq!(Decimal::parse(text), Err(DecimalFault::Malformed), "{text}");
        }
        for text in ["1e400", "1e99999999999999999999", "922337203685477.5808", "99999999999999999999"] {
            assert_eq!(Decimal::parse(text), Err(DecimalFault::OutOfRange), "{text}");
        }
        for text in ["0.00001", "1e-5", "1e-99999999999999999999", "1.23456"] {
            assert_eq!(Decimal::parse(text), Err(DecimalFault::TooManyDecimals(4)), "{text}");
        }
    }

    #[test]
    fn numbers_are_written_short_or_padded() {
        let number = Decimal::parse("1.5").unwrap();
        assert_eq!(number.to_string(), "1.5");
        assert_eq!(number.text_with_at_least(2), "1.50");
        assert_eq!(Decimal::parse("0.1234").unwrap().text_with_at_least(2), "0.1234");
        assert_eq!(Decimal::parse("100").unwrap().to_string(), "100");
        assert_eq!(Decimal::parse("100").unwrap().text_with_at_least(3), "100.000");
    }

    proptest! {
        #[test]
        fn writing_and_reading_is_the_identity(value in any::<i64>()) {
            let number = Decimal::from_ten_thousandths(value);
            prop_assume!(value != i64::MIN);
            prop_assert_eq!(Decimal::parse(&number.to_string()), Ok(number));
            prop_assert_eq!(Decimal::parse(&number.text_with_at_least(3)), Ok(number));
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,40}|[-+0-9.eE]{0,60}") {
            let _ = Decimal::parse(&text);
        }
    }
}
