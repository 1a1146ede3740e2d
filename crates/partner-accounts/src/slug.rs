//! Names of payment pages.

use std::fmt;

/// The URL-safe name of an account's payment page: lower-case letters, digits and single hyphens. Unique in
/// the service.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PaymentSlug(String);

impl PaymentSlug {
    /// The most bytes used of a suggestion, without a numeric suffix.
    pub const MAX_LENGTH: usize = 60;
    /// The name if the suggestion has no usable character.
    const FALLBACK: &'static str = "account";

    /// Normalises a requested name, or a company's name, to a URL-safe form (contract, "Field rules for
    /// partner accounts", 4).
    #[must_use]
    pub fn suggest(requested: &str) -> Self {
        let mut slug = slug::slugify(requested);
        slug.truncate(Self::MAX_LENGTH);
        let slug = slug.trim_matches('-');
        Self(if slug.is_empty() { Self::FALLBACK } else { slug }.to_owned())
    }

    /// Whether this very name was requested. Only the suggestion is cut off at [`Self::MAX_LENGTH`]: a name
    /// with a suffix may be longer, and would become another one by being suggested.
    #[must_use]
    pub fn is_requested_by(&self, requested: &str) -> bool {
        slug::slugify(requested) == self.0
    }

    /// The name with a numeric suffix: for `n` of 1 the name itself, for 2 `name-2`.
    #[must_use]
    pub fn with_suffix(&self, n: u32) -> Self {
        if n <= 1 { self.clone() } else { Self(format!("{}-{n}", self.0)) }
    }

    #[must_use]
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PaymentSlug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_normalised_and_suffixes_count_from_two() {
        assert_eq!(PaymentSlug::suggest("  ACME  Pty. Ltd! ").as_str(), "acme-pty-ltd");
        assert_eq!(PaymentSlug::suggest("!!!").as_str(), "account");
        let slug = PaymentSlug::suggest("acme");
        assert_eq!([1, 2, 3].map(|n| slug.with_suffix(n).as_str().to_owned()), ["acme", "acme-2", "acme-3"]);
    }

    #[test]
    fn name_is_recognised_when_it_is_requested_even_if_its_suffix_makes_it_long() {
        let name = PaymentSlug::suggest(&"long-".repeat(20));
        let suffixed = name.with_suffix(2);
        assert!(suffixed.as_str().len() > PaymentSlug::MAX_LENGTH);
        assert!(suffixed.is_requested_by(suffixed.as_str()) && name.is_requested_by(name.as_str()));
        assert!(suffixed.is_requested_by(&format!(" {} ", suffixed.as_str().to_uppercase())));
        assert!(!suffixed.is_requested_by(name.as_str()) && !name.is_requested_by(suffixed.as_str()));
    }

    proptest! {
        #[test]
        fn every_request_gives_a_name_that_can_stand_in_an_address(requested in "\\PC{0,300}") {
            let slug = PaymentSlug::suggest(&requested);
            prop_assert!(!slug.as_str().is_empty() && slug.as_str().len() <= PaymentSlug::MAX_LENGTH);
            prop_assert!(slug.as_str().bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'));
            prop_assert!(!slug.as_str().starts_with('-') && !slug.as_str().ends_with('-'));
            prop_assert_eq!(PaymentSlug::suggest(slug.as_str()), slug);
        }
    }
}
