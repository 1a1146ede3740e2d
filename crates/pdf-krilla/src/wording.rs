//! The wording of figures, dates and names on an invoice.

use invoices::PaymentMethod;
use kernel::{Currency, Decimal, Money};
use time::Date;
use time::macros::format_description;

/// An amount without its currency: `1,234.50`.
pub(crate) fn amount(money: Money) -> String {
    grouped(&money.to_string())
}

/// An amount with its currency and a no-break space between: `AUD 1,234.50`.
pub(crate) fn amount_in_currency(money: Money) -> String {
    format!("{}\u{a0}{}", money.currency(), amount(money))
}

/// A unit price: with at least the decimals of its currency.
pub(crate) fn unit_price(price: Decimal, currency: Currency) -> String {
    grouped(&price.text_with_at_least(currency.decimals()))
}

pub(crate) fn quantity(quantity: Decimal) -> String {
    grouped(&quantity.to_string())
}

/// A rate: `12.5%`.
pub(crate) fn percent(rate: Decimal) -> String {
    format!("{rate}%")
}

/// A date that is unambiguous internationally: `4 December 2026`.
pub(crate) fn date(date: Date) -> String {
    let form = format_description!("[day padding:none] [month repr:long] [year]");
    // Formatting into a string cannot fail for components that every date has.
    date.format(form).unwrap_or_else(|_unlikely| date.to_string())
}

/// A date for narrow columns: `4 Dec 2026`.
pub(crate) fn short_date(date: Date) -> String {
    let form = format_description!("[day padding:none] [month repr:short] [year]");
    date.format(form).unwrap_or_else(|_unlikely| date.to_string())
}

/// The name of a payment method.
pub(crate) const fn method(method: PaymentMethod) -> &'static str {
    match method {
        PaymentMethod::Card => "Card",
        PaymentMethod::BankTransfer => "Bank transfer",
        PaymentMethod::DirectDebit => "Direct debit",
        PaymentMethod::Cash => "Cash",
        PaymentMethod::Cheque => "Cheque",
        PaymentMethod::Other => "Other",
    }
}

/// A plain number with thousands separators, and a minus sign that is as wide as a digit.
fn grouped(number: &str) -> String {
    let (sign, digits) = match number.strip_prefix('-') {
        Some(digits) => ("−", digits),
        None => ("", number),
    };
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) => (whole, format!(".{fraction}")),
        None => (digits, String::new()),
    };
    let mut text = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && whole.len().saturating_sub(index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + &fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart_and_decimals_are_left_alone() {
        for (number, text) in [
            ("0", "0"),
            ("999", "999"),
            ("1000", "1,000"),
            ("-1234567.8901", "−1,234,567.8901"),
            ("-123.00", "−123.00"),
            ("999999999999.999", "999,999,999,999.999"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn amounts_have_the_decimals_of_their_currency() {
        let yen = Currency::parse("JPY").unwrap();
        assert_eq!(amount_in_currency(Money::new(1_234_567, yen)), "JPY\u{a0}1,234,567");
        assert_eq!(unit_price(Decimal::parse("1200").unwrap(), yen), "1,200");
        let dollar = Currency::parse("AUD").unwrap();
        assert_eq!(unit_price(Decimal::parse("0.005").unwrap(), dollar), "0.005");
        assert_eq!(unit_price(Decimal::parse("1200").unwrap(), dollar), "1,200.00");
        assert_eq!(percent(Decimal::parse("12.5").unwrap()), "12.5%");
    }

    #[test]
    fn dates_name_their_month() {
        let day = time::macros::date!(2026 - 12 - 04);
        assert_eq!(date(day), "4 December 2026");
        assert_eq!(short_date(day), "4 Dec 2026");
    }
}
