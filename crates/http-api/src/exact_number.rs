//! JSON numbers that are serialized exactly, never through a float.

use kernel::{Decimal, Money};
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

/// The text of a JSON number, serialized unchanged, such as `110.00`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExactNumber(String);

impl ExactNumber {
    /// A number with at least `decimals` decimals.
    pub(crate) fn with_at_least(decimals: u32, number: Decimal) -> Self {
        Self(number.text_with_at_least(decimals))
    }
}

impl From<Money> for ExactNumber {
    fn from(amount: Money) -> Self {
        Self(amount.text())
    }
}

impl From<Decimal> for ExactNumber {
    fn from(number: Decimal) -> Self {
        Self(number.text_with_at_least(0))
    }
}

impl Serialize for ExactNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number: &RawValue = serde_json::from_str(&self.0).map_err(S::Error::custom)?;
        number.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::Currency;

    fn written(number: impl Into<ExactNumber>) -> String {
        serde_json::to_string(&number.into()).unwrap()
    }

    #[test]
    fn decimals_are_those_of_the_currency_and_no_digit_is_lost() {
        for (minor, code, text) in [
            (11_000, "AUD", "110.00"),
            (-5, "AUD", "-0.05"),
            (110, "JPY", "110"),
            (1, "BHD", "0.001"),
            (99_999_999_999_999, "AUD", "999999999999.99"),
        ] {
            let amount = Money::new(minor, Currency::parse(code).unwrap());
            assert_eq!(written(amount), text);
        }
        assert_eq!(written(Decimal::parse("10.0").unwrap()), "10");
        let unit = Decimal::parse("12.5").unwrap();
        assert_eq!(written(ExactNumber::with_at_least(2, unit)), "12.50");
    }
}
