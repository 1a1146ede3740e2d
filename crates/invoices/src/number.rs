//! Invoice numbers.

use std::fmt;

use kernel::SingleLine;
use kernel::text::TextFault;

/// What an account's generated numbers begin with, at most 20 characters.
pub type InvoicePrefix = SingleLine<20>;

/// The number of an invoice: 1 to 50 printable characters, compared exactly, unique within the account.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct InvoiceNumber(String);

impl InvoiceNumber {
    /// What generated numbers begin with when the account has set nothing.
    pub const DEFAULT_PREFIX: &'static str = "INV-";

    /// Reads a number that a caller chose.
    ///
    /// # Errors
    /// A [`TextFault`].
    pub fn parse(text: &str) -> Result<Self, TextFault> {
        let line = SingleLine::<50>::parse(text)?;
        if line.as_str().chars().any(is_unprintable) {
            return Err(TextFault::Control);
        }
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

/// Characters that cannot be seen, or that change how others are seen: with them two numbers could look the same.
const fn is_unprintable(c: char) -> bool {
    let blank = c.is_whitespace() && c != ' ';
    blank
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_look_the_same_are_the_same() {
        assert_eq!(
            InvoiceNumber::parse(" Ünïcode 7/é ").unwrap().as_str(),
            "Ünïcode 7/é"
        );
        for unseen in [
            "A\u{200b}B",
            "\u{202e}abc",
            "A\u{a0}B",
            "A\u{2028}B",
            "\u{feff}A1",
            "A\tB",
        ] {
            assert_eq!(
                InvoiceNumber::parse(unseen),
                Err(TextFault::Control),
                "{unseen:?}"
            );
        }
    }
}
