//! Brand colours.

use std::fmt;

/// A colour as `#` and six hexadecimal digits (contract, "Field rules for partner accounts", 1), kept as it
/// was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrandColor(String);

/// The text is not a six-digit colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a six-digit hex colour such as #1A2B3C")]
pub struct InvalidColor;

impl BrandColor {
    /// Parses a colour.
    ///
    /// # Errors
    /// [`InvalidColor`], also for shorthand and named colours.
    pub fn parse(text: &str) -> Result<Self, InvalidColor> {
        let text = text.trim();
        let digits = text.strip_prefix('#').ok_or(InvalidColor)?;
        let right = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        right.then(|| Self(text.to_owned())).ok_or(InvalidColor)
    }

    #[must_use]
    pub const fn from_stored(text: String) -> Self {
        Self(text)
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BrandColor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_six_digits_are_a_colour() {
        assert_eq!(BrandColor::parse(" #1a2B3c ").unwrap().as_str(), "#1a2B3c");
        for bad in ["#fff", "red", "1a2b3c", "#1a2b3c4d", "#1a2b3g", "", "#", "#１２３４５６"] {
            assert_eq!(BrandColor::parse(bad), Err(InvalidColor), "{bad}");
        }
    }
}
