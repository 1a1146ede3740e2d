//! Enums whose values are written as names, in the API and in the store.

use std::str::FromStr;

use strum::VariantNames;

/// The text is none of the names. The message lists them: `must be a, b or c`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be {}", list(.0))]
pub struct UnknownName(&'static [&'static str]);

/// An enum whose values have names: one that derives the traits of `strum` named here.
///
/// ```
/// use kernel::Named as _;
///
/// #[derive(Debug, Clone, Copy, PartialEq, strum::EnumString, strum::IntoStaticStr, strum::VariantNames)]
/// #[strum(serialize_all = "snake_case")]
/// enum Colour {
///     DarkRed,
///     Blue,
/// }
/// assert_eq!(Colour::DarkRed.as_str(), "dark_red");
/// assert_eq!(Colour::parse("blue"), Ok(Colour::Blue));
/// let unknown = Colour::parse("green").unwrap_err();
/// assert_eq!(unknown.to_string(), "must be dark_red or blue");
/// ```
pub trait Named: Copy + FromStr + VariantNames + Into<&'static str> {
    /// The name, as the API, forms, commands and the store write it.
    fn as_str(self) -> &'static str {
        self.into()
    }

    /// Parses a name, compared exactly unless the enum's derivation says otherwise.
    ///
    /// # Errors
    /// [`UnknownName`], which lists the names.
    fn parse(text: &str) -> Result<Self, UnknownName> {
        text.parse().map_err(|_unknown| UnknownName(Self::VARIANTS))
    }
}

impl<T: Copy + FromStr + VariantNames + Into<&'static str>> Named for T {}

fn list(names: &[&str]) -> String {
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}
