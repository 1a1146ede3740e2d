//! Amounts of two decimals, exactly.

use serde_json::Value;

/// So many cents are in an amount of JSON, which is written with two decimals; `None` for anything else.
pub(super) fn cents(value: &Value) -> Option<i64> {
    let text = value.as_number()?.to_string();
    let (whole, decimals) = text.split_once('.')?;
    if decimals.len() != 2 {
        return None;
    }
    format!("{whole}{decimals}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cents_are_read_from_two_decimals_alone() {
        let read = |text: &str| cents(&serde_json::from_str(text).unwrap());
        assert_eq!(read("80.71"), Some(8_071));
        assert_eq!(read("0.00"), Some(0));
        assert_eq!(read("80.7"), None);
        assert_eq!(read("\"80.71\""), None);
    }
}
