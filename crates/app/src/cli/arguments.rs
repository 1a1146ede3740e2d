//! Parsers of argument values.

use kernel::{Decimal, DecimalFault, Id};
use time::OffsetDateTime;

/// A monthly limit; `None` means unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit(pub Option<u64>);

pub(super) fn instant(text: &str) -> Result<OffsetDateTime, String> {
    kernel::clock::parse_instant(text)
        .ok_or_else(|| "must be a timestamp such as 2026-11-20T02:09:06Z".to_owned())
}

/// Checks that the text is a decimal number, and returns it as it was written. The use case converts it to
/// the invoice's currency.
pub(super) fn amount(text: &str) -> Result<String, DecimalFault> {
    Decimal::parse(text).map(|_number| text.to_owned())
}

pub(super) fn id<E>(text: &str) -> Result<Id<E>, String> {
    let fault =
        || "must be a UUID, as commands, the API and the addresses of the dashboard show it".to_owned();
    Id::parse(text).ok_or_else(fault)
}

pub(super) fn limit(text: &str) -> Result<Limit, String> {
    if text.eq_ignore_ascii_case("none") {
        return Ok(Limit(None));
    }
    // The store keeps limits as signed integers, so `u64` would be too wide.
    let number =
        text.parse::<u32>().map_err(|_not_a_number| "must be a whole number or `none`".to_owned())?;
    Ok(Limit(Some(number.into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_numbers_or_none() {
        assert_eq!(limit("none"), Ok(Limit(None)));
        assert_eq!(limit("0"), Ok(Limit(Some(0))));
        assert!(limit("-1").is_err() && limit("many").is_err());
    }
}
