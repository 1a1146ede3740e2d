//! Whether line amounts contain their tax.

/// Whether line amounts contain their tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LineAmountTypes {
    /// Tax comes on top of the line amounts.
    #[default]
    Exclusive,
    /// Line amounts contain their tax.
    Inclusive,
    /// There is no tax.
    NoTax,
}

/// The text is none of the three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be EXCLUSIVE, INCLUSIVE or NO_TAX")]
pub struct UnknownLineAmountTypes;

impl LineAmountTypes {
    /// Reads the name in any case; `NoTax` is understood too.
    ///
    /// # Errors
    /// [`UnknownLineAmountTypes`].
    pub fn parse(text: &str) -> Result<Self, UnknownLineAmountTypes> {
        match text.trim().to_ascii_uppercase().as_str() {
            "EXCLUSIVE" => Ok(Self::Exclusive),
            "INCLUSIVE" => Ok(Self::Inclusive),
            "NO_TAX" | "NOTAX" => Ok(Self::NoTax),
            _ => Err(UnknownLineAmountTypes),
        }
    }

    /// The name as the API writes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exclusive => "EXCLUSIVE",
            Self::Inclusive => "INCLUSIVE",
            Self::NoTax => "NO_TAX",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_case() {
        for (text, types) in [
            ("exclusive", LineAmountTypes::Exclusive),
            (" Inclusive ", LineAmountTypes::Inclusive),
            ("NoTax", LineAmountTypes::NoTax),
            ("NO_TAX", LineAmountTypes::NoTax),
        ] {
            assert_eq!(LineAmountTypes::parse(text), Ok(types));
        }
        assert_eq!(LineAmountTypes::parse("NONE"), Err(UnknownLineAmountTypes));
    }
}
