//! Amounts, quantities and dates as people write them.

use kernel::{Currency, Decimal, Money, TimeZone};
use time::{Date, OffsetDateTime};

/// An amount with its currency: `AUD 1,234.50`, `-AUD 20.00`.
#[must_use]
pub fn money_text(amount: Money) -> String {
    let (sign, digits) = grouped(&amount.to_string());
    format!("{sign}{} {digits}", amount.currency())
}

/// An amount without its currency, which is shown beside it: `1,234.50`, `-20.00`.
#[must_use]
pub fn amount_text(amount: Money) -> String {
    let (sign, digits) = grouped(&amount.to_string());
    format!("{sign}{digits}")
}

/// The price of one unit, with at least the decimals of its currency: `1,250.00`, `0.0525`.
#[must_use]
pub fn unit_text(unit_amount: Decimal, currency: Currency) -> String {
    let (sign, digits) = grouped(&unit_amount.text_with_at_least(currency.decimals()));
    format!("{sign}{digits}")
}

/// A quantity or a rate, with no more decimals than it has: `1,000`, `2.5`.
#[must_use]
pub fn number_text(number: Decimal) -> String {
    let (sign, digits) = grouped(&number.to_string());
    format!("{sign}{digits}")
}

/// A date with the month as a word, unambiguous for British and American readers: `4 December 2026`.
#[must_use]
pub fn written_date(date: Date) -> String {
    format!("{} {} {}", date.day(), date.month(), date.year())
}

/// An instant in the local time of a zone: `4 December 2026, 09:05`.
#[must_use]
pub fn written_instant(instant: OffsetDateTime, zone: &TimeZone) -> String {
    let local = zone.local(instant);
    format!("{}, {:02}:{:02}", written_date(local.date()), local.hour(), local.minute())
}

/// The same with the name of the zone: `4 December 2026, 09:05 (Australia/Sydney)`.
#[must_use]
pub fn zoned_instant_text(instant: OffsetDateTime, zone: &TimeZone) -> String {
    format!("{} ({})", written_instant(instant, zone), zone.name())
}

/// Splits off the sign and puts commas between thousands.
fn grouped(text: &str) -> (&'static str, String) {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    let whole = digits.split('.').next().unwrap_or(digits).len();
    let mut out = String::with_capacity(digits.len() + whole / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && place < whole && (whole - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    (sign, out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::{date, datetime};

    #[test]
    fn amounts_are_grouped_and_keep_the_decimals_of_their_currency() {
        for (amount, currency, text) in [
            ("0", "AUD", "AUD 0.00"),
            ("999.5", "AUD", "AUD 999.50"),
            ("1000", "AUD", "AUD 1,000.00"),
            ("-1234567.89", "EUR", "-EUR 1,234,567.89"),
            ("110000", "JPY", "JPY 110,000"),
            ("1234.567", "BHD", "BHD 1,234.567"),
            ("999999999999", "AUD", "AUD 999,999,999,999.00"),
        ] {
            let currency = Currency::parse(currency).unwrap();
            assert_eq!(money_text(Money::parse(amount, currency).unwrap()), text);
        }
    }

    #[test]
    fn prices_and_quantities_show_what_they_have() {
        let number = |text| Decimal::parse(text).unwrap();
        let (aud, jpy) = (Currency::parse("AUD").unwrap(), Currency::parse("JPY").unwrap());
        assert_eq!(unit_text(number("1250"), aud), "1,250.00");
        assert_eq!(unit_text(number("0.0525"), aud), "0.0525");
        assert_eq!(unit_text(number("-12.5"), aud), "-12.50");
        assert_eq!(unit_text(number("1500"), jpy), "1,500");
        assert_eq!(number_text(number("1000.5000")), "1,000.5");
    }

    #[test]
    fn a_date_is_in_words() {
        assert_eq!(written_date(date!(2026 - 12 - 04)), "4 December 2026");
        let sydney = TimeZone::parse("Australia/Sydney").unwrap();
        assert_eq!(written_instant(datetime!(2026-12-03 22:05 UTC), &sydney), "4 December 2026, 09:05");
    }
}
