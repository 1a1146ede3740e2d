//! Enums whose values are written as names, in the API and in the store.

use std::str::FromStr;

use strum::VariantNames;

/// The text is none of the names. The message lists them: `must be a, b or c`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be {}", list(.0))]
pub struct UnknownName(&'static [&'static str]);

/// Parses a name of an enum that derives `strum::EnumString` and `strum::VariantNames`.
///
/// # Errors
/// [`UnknownName`].
///
/// ```
/// #[derive(Debug, PartialEq, strum::EnumString, strum::VariantNames)]
/// #[strum(serialize_all = "snake_case")]
/// enum Colour {
///     DarkRed,
///     Blue,
/// }
/// assert_eq!(kernel::names::parse("dark_red"), Ok(Colour::DarkRed));
/// let unknown = kernel::names::parse::<Colour>("green").unwrap_err();
/// assert_eq!(unknown.to_string(), "must be dark_red or blue");
/// ```
pub fn parse<T: FromStr + VariantNames>(text: &str) -> Result<T, UnknownName> {
    text.parse().map_err(|_unknown| UnknownName(T::VARIANTS))
}

fn list(names: &[&str]) -> String {
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}
