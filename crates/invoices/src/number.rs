//! Invoice numbers.

use std::fmt;

use kernel::SingleLine;
use kernel::text::TextFault;

/// The number of an invoice: 1 to 50 printable characters, compared exactly, unique within the account.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct InvoiceNumber(String);

impl InvoiceNumber {
    /// The prefix of generated numbers of accounts that have set none.
    pub const DEFAULT_PREFIX: &'static str = "INV-";

    /// Parses a number that the caller chose.
    pub fn parse(text: &str) -> Result<Self, TextFault> {
        let line = SingleLine::<50>::parse(text)?;
        line.check_printable()?;
        Ok(Self(line.into_string()))
    }

    /// The `n`th number of an account's sequence: the prefix and at least four digits.
    ///
    /// ```
    /// assert_eq!(invoices::InvoiceNumber::generated("INV-", 7).as_str(), "INV-0007");
    /// assert_eq!(invoices::InvoiceNumber::generated("", 12_345).as_str(), "12345");
    /// ```
    #[must_use]
    pub fn generated(prefix: &str, n: u64) -> Self {
        Self(format!("{prefix}{n:04}"))
    }

    /// The number from the store.
    #[must_use]
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The number as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for InvoiceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_with_an_unprintable_character_is_refused() {
        assert_eq!(InvoiceNumber::parse(" Ünïcode 7/é ").unwrap().as_str(), "Ünïcode 7/é");
        for unseen in [
            "A\u{200b}B", "\u{202e}abc", "A\u{a0}B", "A\u{2028}B", "\u{feff}A1", "A\tB", "A\u{3164}",
            "\u{e000}", "A\u{ffff}",
        ] {
            assert!(InvoiceNumber::parse(unseen).is_err(), "{unseen:?}");
        }
    }
}
