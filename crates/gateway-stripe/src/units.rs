//! Amounts in Stripe's units: where these differ from ISO 4217's minor units, and Stripe's minimums and
//! maximum. From Stripe's page "Supported currencies".

use kernel::{Currency, Money};
use payments::AmountRefused;

/// Written without decimals. In ISO 4217, MGA has two.
const ZERO_DECIMALS: [&str; 15] =
    ["BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF"];
/// Written with three decimals, of which the last must be 0.
const THREE_DECIMALS: [&str; 5] = ["BHD", "JOD", "KWD", "OMR", "TND"];
/// Written with two decimals that must be 00, although the currency has none.
const ZEROS_BEHIND: [&str; 2] = ["ISK", "UGX"];

/// The minimum charges in units, where Stripe documents them. They hold for an account that is paid out in
/// the same currency; for other accounts Stripe's response reports the minimum.
const MINIMUMS: [(&str, i64); 31] = [
    ("USD", 50),
    ("AED", 200),
    ("ARS", 50),
    ("AUD", 50),
    ("BRL", 50),
    ("CAD", 50),
    ("CHF", 50),
    ("COP", 50),
    ("CZK", 1_500),
    ("DKK", 250),
    ("EUR", 50),
    ("GBP", 30),
    ("HKD", 400),
    ("HUF", 17_500),
    ("IDR", 50),
    ("ILS", 50),
    ("INR", 50),
    ("JPY", 50),
    ("KRW", 50),
    ("MXN", 1_000),
    ("MYR", 200),
    ("NOK", 300),
    ("NZD", 50),
    ("PHP", 50),
    ("PLN", 200),
    ("RON", 200),
    ("RUB", 50),
    ("SEK", 300),
    ("SGD", 50),
    ("THB", 1_000),
    ("ZAR", 50),
];
/// The largest amount of a card charge, in units. Other methods and some cards have lower limits, which
/// Stripe's response reports.
const MAXIMUM: i64 = 999_999_999_999;

/// How amounts of a currency are written.
struct Written {
    decimals: u32,
    /// Every amount must be a multiple of this number of units.
    step: i64,
}

/// `None` for a currency that Stripe would misread: it does not have 2 decimals, and Stripe documents no rule
/// for it.
fn written(currency: Currency) -> Option<Written> {
    let code = currency.code();
    if ZERO_DECIMALS.contains(&code) {
        Some(Written { decimals: 0, step: 1 })
    } else if THREE_DECIMALS.contains(&code) {
        Some(Written { decimals: 3, step: 10 })
    } else if ZEROS_BEHIND.contains(&code) {
        Some(Written { decimals: 2, step: 100 })
    } else {
        (currency.decimals() == 2).then_some(Written { decimals: 2, step: 1 })
    }
}

/// An amount in Stripe's units.
///
/// # Errors
/// [`AmountRefused::CurrencyNotTaken`] and [`AmountRefused::NotWritable`].
pub(crate) fn to_units(amount: Money) -> Result<i64, AmountRefused> {
    let currency = amount.currency();
    let written = written(currency).ok_or(AmountRefused::CurrencyNotTaken(currency))?;
    rescaled(amount.minor(), currency.decimals(), written.decimals)
        .filter(|units| units % written.step == 0)
        .ok_or(AmountRefused::NotWritable(amount))
}

/// An amount from Stripe; `None` when it is not a valid amount of the currency.
pub(crate) fn from_units(units: i64, currency: &str) -> Option<Money> {
    let currency = Currency::from_stored(&currency.to_ascii_uppercase()).ok()?;
    let minor = rescaled(units, written(currency)?.decimals, currency.decimals())?;
    Some(Money::new(minor, currency))
}

/// The units of an amount within Stripe's limits.
pub(crate) fn payable(amount: Money) -> Result<i64, AmountRefused> {
    let units = to_units(amount)?;
    let code = amount.currency().code();
    let minimum = MINIMUMS.iter().find(|(known, _)| *known == code).map(|(_, minimum)| *minimum);
    if let Some(minimum) = minimum.filter(|minimum| units < *minimum) {
        let least = from_units(minimum, code);
        return Err(least.map_or(AmountRefused::BelowUnknownMinimum, AmountRefused::BelowMinimum));
    }
    match units {
        ..=0 => Err(AmountRefused::BelowUnknownMinimum),
        1..=MAXIMUM => Ok(units),
        _ => Err(AmountRefused::AboveMaximum),
    }
}

/// Converts a number between numbers of decimals; `None` when the result is not exact.
fn rescaled(number: i64, from: u32, to: u32) -> Option<i64> {
    if to >= from {
        return number.checked_mul(10_i64.checked_pow(to - from)?);
    }
    let divisor = 10_i64.checked_pow(from - to)?;
    (number % divisor == 0).then(|| number / divisor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn money(text: &str) -> Money {
        let (amount, code) = text.split_once(' ').unwrap();
        Money::parse(amount, Currency::parse(code).unwrap()).unwrap()
    }

    #[test]
    fn amounts_are_written_in_the_units_of_stripe() {
        for (amount, units) in [
            ("110.00 AUD", 11_000),
            ("0.50 USD", 50),
            ("1000 JPY", 1_000),
            ("5 ISK", 500),
            ("5 UGX", 500),
            ("12.340 BHD", 12_340),
            ("5.120 KWD", 5_120),
            ("1200.00 MGA", 1_200),
            ("45.67 HUF", 4_567),
            ("45.67 TWD", 4_567),
            ("1000 XPF", 1_000),
            ("20 RWF", 20),
        ] {
            assert_eq!(to_units(money(amount)), Ok(units), "{amount}");
            let (_, code) = amount.split_once(' ').unwrap();
            assert_eq!(from_units(units, &code.to_lowercase()), Some(money(amount)), "{amount}");
        }
    }

    #[test]
    fn what_cannot_be_written_exactly_is_refused() {
        for amount in ["12.345 BHD", "0.001 TND", "12.50 MGA"] {
            assert_eq!(to_units(money(amount)), Err(AmountRefused::NotWritable(money(amount))), "{amount}");
        }
        for amount in ["1.000 IQD", "1.000 LYD"] {
            let currency = money(amount).currency();
            assert_eq!(to_units(money(amount)), Err(AmountRefused::CurrencyNotTaken(currency)));
        }
        for (units, code) in [(550, "isk"), (1, "ugx"), (1, "xxx"), (1, ""), (i64::MAX, "mga")] {
            assert_eq!(from_units(units, code), None, "{units} {code}");
        }
    }

    #[test]
    fn minimums_and_maximum_are_those_that_stripe_documents() {
        for (least, below) in [
            ("0.50 USD", "0.49 USD"),
            ("0.30 GBP", "0.29 GBP"),
            ("175.00 HUF", "174.99 HUF"),
            ("50 JPY", "49 JPY"),
            ("15.00 CZK", "14.99 CZK"),
        ] {
            assert!(payable(money(least)).is_ok(), "{least}");
            assert_eq!(payable(money(below)), Err(AmountRefused::BelowMinimum(money(least))));
        }
        assert_eq!(payable(money("0.01 BAM")), Ok(1));
        assert_eq!(payable(money("0.00 BAM")), Err(AmountRefused::BelowUnknownMinimum));
        assert_eq!(payable(money("9999999999.99 AUD")), Ok(MAXIMUM));
        assert_eq!(payable(money("10000000000.00 AUD")), Err(AmountRefused::AboveMaximum));
    }

    proptest! {
        #[test]
        fn whatever_is_written_is_read_back(
            minor in any::<i64>(),
            code in prop::sample::select(vec!["AUD", "JPY", "ISK", "UGX", "BHD", "MGA", "HUF", "IQD"]),
        ) {
            let amount = Money::new(minor, Currency::parse(code).unwrap());
            if let Ok(units) = to_units(amount) {
                prop_assert_eq!(from_units(units, code), Some(amount));
            }
        }
    }
}
