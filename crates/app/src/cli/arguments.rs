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
    let fault = |_| format!("must be a whole number from 0 to {}, or `none`", u32::MAX);
    let number = text.parse::<u32>().map_err(fault)?;
    Ok(Limit(Some(number.into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_numbers_or_none() {
        assert_eq!(limit("none"), Ok(Limit(None)));
        assert_eq!(limit("0"), Ok(Limit(Some(0))));
        assert_eq!(limit("4294967295"), Ok(Limit(Some(4_294_967_295))));
        let fault = "must be a whole number from 0 to 4294967295, or `none`";
        for text in ["-1", "many", "4294967296", "99999999999999"] {
            assert_eq!(limit(text), Err(fault.to_owned()), "{text}");
        }
    }
}
