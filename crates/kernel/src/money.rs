//! Money: whole minor units of one currency, checked arithmetic.

use std::fmt;

use crate::currency::Currency;
use crate::decimal::{DecimalFault, parse_scaled, scaled_text};

/// An amount of money: a whole number of minor units (cents) of one currency.
///
/// Arithmetic is checked: a sum that overflows or mixes currencies is `None`, never a wrong amount.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Money {
    minor: i64,
    currency: Currency,
}

impl Money {
    /// The largest amount of an invoice, in major units (decisions, "Money, tax, currency").
    pub const MAX_MAJOR: i64 = 999_999_999_999;

    /// An amount of `minor` minor units.
    #[must_use]
    pub const fn new(minor: i64, currency: Currency) -> Self {
        Self { minor, currency }
    }

    /// Zero in a currency.
    #[must_use]
    pub const fn zero(currency: Currency) -> Self {
        Self::new(0, currency)
    }

    /// Parses an amount in major units, written as a JSON number.
    ///
    /// # Errors
    /// A [`DecimalFault`]: not a number, more decimals than the currency has, or too large.
    pub fn parse(text: &str, currency: Currency) -> Result<Self, DecimalFault> {
        let minor = parse_scaled(text, currency.decimals())?;
        Ok(Self::new(minor, currency))
    }

    /// Parses an amount that a person enters: digits, and a point before at most the currency's decimals.
    /// More decimals are refused also if they are zeros, since `1.000` may stand for a thousand.
    pub fn entered(text: &str, currency: Currency) -> Result<Self, DecimalFault> {
        if text.contains(|c: char| !matches!(c, '0'..='9' | '.' | '-')) {
            return Err(DecimalFault::NotPlain);
        }
        let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        if u32::try_from(decimals).is_ok_and(|written| written <= currency.decimals()) {
            Self::parse(text, currency)
        } else {
            Err(DecimalFault::TooManyDecimals(currency.decimals()))
        }
    }

    /// The amount in minor units.
    #[must_use]
    pub const fn minor(self) -> i64 {
        self.minor
    }

    /// The currency.
    #[must_use]
    pub const fn currency(self) -> Currency {
        self.currency
    }

    /// Whether the amount is zero.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.minor == 0
    }

    /// Whether the amount is below zero.
    #[must_use]
    pub const fn is_negative(self) -> bool {
        self.minor < 0
    }

    /// The sum; `None` when it overflows or the currencies differ.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.combined(other, i64::checked_add)
    }

    /// The difference; `None` when it overflows or the currencies differ.
    #[must_use]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.combined(other, i64::checked_sub)
    }

    /// Whether an invoice can have this amount: at most 999,999,999,999 major units either way.
    #[must_use]
    pub fn is_within_limit(self) -> bool {
        let factor = 10_i64.saturating_pow(self.currency.decimals());
        let limit = Self::MAX_MAJOR.saturating_mul(factor);
        self.minor.unsigned_abs() <= limit.unsigned_abs()
    }

    /// The amount in major units, with all the decimals of its currency: `110.00`.
    #[must_use]
    pub fn text(self) -> String {
        scaled_text(self.minor, self.currency.decimals())
    }

    fn combined(self, other: Self, operation: fn(i64, i64) -> Option<i64>) -> Option<Self> {
        let minor = (self.currency == other.currency).then(|| operation(self.minor, other.minor))??;
        Some(Self::new(minor, self.currency))
    }
}

impl fmt::Display for Money {
    /// Writes [`Money::text`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl fmt::Debug for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} {}", self.currency)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn currency(code: &str) -> Currency {
        Currency::parse(code).unwrap()
    }

    #[test]
    fn amounts_have_the_decimals_of_their_currency() {
        for (text, code, written) in [
            ("110", "AUD", "110.00"),
            ("0.05", "AUD", "0.05"),
            ("-0.5", "AUD", "-0.50"),
            ("110", "JPY", "110"),
            ("1.234", "BHD", "1.234"),
            ("1e3", "JPY", "1000"),
        ] {
            assert_eq!(Money::parse(text, currency(code)).unwrap().to_string(), written);
        }
        assert_eq!(Money::parse("1.5", currency("JPY")), Err(DecimalFault::TooManyDecimals(0)));
        assert_eq!(Money::parse("1.005", currency("AUD")), Err(DecimalFault::TooManyDecimals(2)));
    }

    #[test]
    fn entered_amounts_are_plain_and_have_no_more_decimals_than_their_currency() {
        for (text, code) in
            [("1000", "AUD"), ("0.5", "AUD"), ("-1.00", "AUD"), ("7", "JPY"), ("1.000", "BHD")]
        {
            let currency = currency(code);
            assert_eq!(Money::entered(text, currency), Money::parse(text, currency), "{text}");
        }
        for (text, code, fault) in [
            ("1.000", "AUD", DecimalFault::TooManyDecimals(2)),
            ("1.0", "JPY", DecimalFault::TooManyDecimals(0)),
            ("1e1", "AUD", DecimalFault::NotPlain),
            ("1,000", "AUD", DecimalFault::NotPlain),
            (" 1", "AUD", DecimalFault::NotPlain),
            ("", "AUD", DecimalFault::Malformed),
            ("1.", "AUD", DecimalFault::Malformed),
            ("1-1", "AUD", DecimalFault::Malformed),
        ] {
            assert_eq!(Money::entered(text, currency(code)), Err(fault), "{text}");
        }
    }

    #[test]
    fn currencies_do_not_mix_and_sums_do_not_wrap() {
        let dollar = Money::new(100, currency("AUD"));
        assert_eq!(dollar.checked_add(Money::new(1, currency("JPY"))), None);
        assert_eq!(Money::new(i64::MAX, currency("AUD")).checked_add(dollar), None);
        assert_eq!(Money::new(i64::MIN, currency("AUD")).checked_sub(dollar), None);
    }

    #[test]
    fn the_limit_is_in_major_units() {
        assert!(Money::parse("999999999999", currency("BHD")).unwrap().is_within_limit());
        assert!(!Money::parse("999999999999.001", currency("BHD")).unwrap().is_within_limit());
        assert!(Money::parse("999999999999", currency("JPY")).unwrap().is_within_limit());
        assert!(!Money::parse("-1000000000000", currency("AUD")).unwrap().is_within_limit());
    }

    proptest! {
        #[test]
        fn whatever_is_read_as_an_amount_is_written_alike(
            text in "-?[0-9]{1,20}([.][0-9]{0,6})?([eE][-+]?[0-9]{1,3})?|\\PC{0,30}",
            code in prop::sample::select(vec!["AUD", "JPY", "BHD"]),
        ) {
            if let Ok(amount) = Money::parse(&text, currency(code)) {
                prop_assert_eq!(Money::parse(&amount.to_string(), currency(code)), Ok(amount));
            }
        }

        #[test]
        fn adding_and_taking_away_is_the_identity(a in any::<i32>(), b in any::<i32>()) {
            let (a, b) = (Money::new(a.into(), currency("AUD")), Money::new(b.into(), currency("AUD")));
            prop_assert_eq!(a.checked_add(b).and_then(|sum| sum.checked_sub(b)), Some(a));
        }
    }
}
