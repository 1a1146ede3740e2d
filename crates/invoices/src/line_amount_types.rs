//! Whether line amounts contain their tax.

use kernel::{Named, UnknownName};
use strum::{EnumString, IntoStaticStr, VariantNames};

/// Whether line amounts contain their tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE", ascii_case_insensitive)]
pub enum LineAmountTypes {
    /// Tax is added to the line amounts.
    #[default]
    Exclusive,
    /// Line amounts contain their tax.
    Inclusive,
    /// There is no tax.
    #[strum(to_string = "NO_TAX", serialize = "NOTAX")]
    NoTax,
}

impl LineAmountTypes {
    /// Parses the name in any case; `NoTax` is accepted too.
    pub fn parse(text: &str) -> Result<Self, UnknownName> {
        Named::parse(text.trim())
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
        let unknown = LineAmountTypes::parse("NONE").unwrap_err();
        assert_eq!(unknown.to_string(), "must be EXCLUSIVE, INCLUSIVE or NO_TAX");
    }
}
