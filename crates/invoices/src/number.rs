//! Invoice numbers.

use std::fmt;

use kernel::Line;
use kernel::text::TextFault;

/// What an account's generated numbers begin with, at most 20 characters.
pub type InvoicePrefix = Line<20>;

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
        Line::<50>::parse(text).map(|line| Self(line.into_string()))
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
