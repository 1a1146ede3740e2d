//! The wording of figures, dates and names on an invoice.

use invoices::PaymentMethod;
use invoices::figures::{amount_text, number_text, unit_text};
use kernel::{Currency, Decimal, Money};
use time::Date;
use time::macros::format_description;

/// An amount without its currency: `1,234.50`.
pub(crate) fn amount(money: Money) -> String {
    with_wide_minus(&amount_text(money))
}

/// An amount with its currency and a no-break space between: `AUD 1,234.50`.
pub(crate) fn amount_in_currency(money: Money) -> String {
    format!("{}\u{a0}{}", money.currency(), amount(money))
}

/// A unit price: with at least the decimals of its currency.
pub(crate) fn unit_price(price: Decimal, currency: Currency) -> String {
    with_wide_minus(&unit_text(price, currency))
}

pub(crate) fn quantity(quantity: Decimal) -> String {
    with_wide_minus(&number_text(quantity))
}

/// A rate: `12.5%`.
pub(crate) fn percent(rate: Decimal) -> String {
    format!("{rate}%")
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

/// A figure with a minus sign that is as wide as a digit.
fn with_wide_minus(figure: &str) -> String {
    figure.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minus_sign_is_as_wide_as_a_digit() {
        let dollar = Currency::parse("AUD").unwrap();
        assert_eq!(amount(Money::new(-123_456_789, dollar)), "−1,234,567.89");
        assert_eq!(quantity(Decimal::parse("-1234567.8901").unwrap()), "−1,234,567.8901");
        assert_eq!(unit_price(Decimal::parse("-123").unwrap(), dollar), "−123.00");
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
    fn narrow_columns_have_short_months() {
        assert_eq!(short_date(time::macros::date!(2026 - 12 - 04)), "4 Dec 2026");
    }
}
