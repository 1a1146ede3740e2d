//! ISO 4217 currencies in use.

use std::fmt;

/// A currency, by its ISO 4217 alphabetic code.
///
/// Withdrawn currencies, funds, metals and test codes are refused as input.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Currency(iso_currency::Currency);

/// The text is not the code of a currency in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be the three-letter ISO 4217 code of a currency in use, such as AUD")]
pub struct UnknownCurrency;

impl Currency {
    /// Parses a code in any case.
    ///
    /// # Errors
    /// [`UnknownCurrency`] when no currency in use has the code.
    pub fn parse(code: &str) -> Result<Self, UnknownCurrency> {
        let code = code.trim();
        if code.len() != 3 || !code.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return Err(UnknownCurrency);
        }
        iso_currency::Currency::from_code(&code.to_ascii_uppercase())
            .filter(|currency| in_use(*currency))
            .map(Self)
            .ok_or(UnknownCurrency)
    }

    /// The currency of a stored amount. Currencies withdrawn since are accepted: their number of decimals
    /// stays known.
    ///
    /// # Errors
    /// [`UnknownCurrency`] when ISO 4217 never had such a code.
    pub fn from_stored(code: &str) -> Result<Self, UnknownCurrency> {
        iso_currency::Currency::from_code(code).map(Self).ok_or(UnknownCurrency)
    }

    /// The three capital letters.
    #[must_use]
    pub fn code(self) -> &'static str {
        self.0.code()
    }

    /// The number of decimals of an amount (the minor unit's exponent): JPY 0, AUD 2, BHD 3.
    #[must_use]
    pub fn decimals(self) -> u32 {
        self.0.exponent().map_or(0, u32::from)
    }
}

fn in_use(currency: iso_currency::Currency) -> bool {
    // The table lists VES as replaced by VED; in ISO 4217, VES is still the currency of Venezuela.
    let withdrawn = currency.is_superseded().is_some() && currency != iso_currency::Currency::VES;
    !withdrawn && !currency.is_fund() && !currency.is_special() && currency.exponent().is_some()
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn currencies_in_use_are_read_in_any_case() {
        for (code, decimals) in [("aud", 2), ("JPY", 0), ("bHd", 3), ("VES", 2), ("KWD", 3)] {
            let currency = Currency::parse(code).unwrap();
            assert_eq!(currency.decimals(), decimals, "{code}");
            assert_eq!(currency.code(), code.to_uppercase());
        }
    }

    #[test]
    fn codes_not_in_use_are_refused() {
        for code in ["HRK", "BGN", "XAU", "XXX", "XTS", "UYI", "AU", "AUDD", "A$D", "", "ÄUD", "ZZZ"] {
            assert!(Currency::parse(code).is_err(), "{code}");
        }
    }
}
