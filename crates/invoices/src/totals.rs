//! Line amounts, taxes and totals (decisions, "Money, tax, currency").
//!
//! Each line is rounded to the currency's decimals, half away from zero. Totals are sums of rounded lines, so
//! that the printed line amounts add up to the printed totals.

use kernel::{Currency, Decimal, Money};

use crate::line_amount_types::LineAmountTypes;

/// The amounts of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineAmounts {
    /// Quantity times unit amount, rounded.
    pub line_amount: Money,
    /// The tax on top of it or contained in it, rounded.
    pub tax_amount: Money,
}

/// The totals of an invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Totals {
    /// Without tax.
    pub sub_total: Money,
    /// The tax.
    pub tax_total: Money,
    /// With tax.
    pub total: Money,
}

const ONE: i128 = 10_000;
const HUNDRED_PERCENT: i128 = 100 * ONE;

/// The amounts of a line of `quantity` at `unit_amount`, with a tax of `tax_rate` percent, 0 to 100. `None`
/// when they exceed the range of minor units.
#[must_use]
pub fn line_amounts(
    quantity: Decimal,
    unit_amount: Decimal,
    tax_rate: Decimal,
    types: LineAmountTypes,
    currency: Currency,
) -> Option<LineAmounts> {
    let [quantity, unit, rate] =
        [quantity, unit_amount, tax_rate].map(|number| i128::from(number.ten_thousandths()));
    let minor_units = 10_i128.checked_pow(currency.decimals())?;
    let exact = quantity.checked_mul(unit)?.checked_mul(minor_units)?;
    let line = divide_rounding(exact, ONE * ONE)?;
    let tax = match types {
        LineAmountTypes::Exclusive => divide_rounding(line.checked_mul(rate)?, HUNDRED_PERCENT)?,
        LineAmountTypes::Inclusive => {
            divide_rounding(line.checked_mul(rate)?, HUNDRED_PERCENT.checked_add(rate)?)?
        }
        LineAmountTypes::NoTax => 0,
    };
    let money = |minor: i128| Some(Money::new(i64::try_from(minor).ok()?, currency));
    Some(LineAmounts { line_amount: money(line)?, tax_amount: money(tax)? })
}

/// The totals of lines. `None` when a sum is too large for any invoice or a line has another currency.
#[must_use]
pub fn totals(
    lines: impl IntoIterator<Item = LineAmounts>,
    types: LineAmountTypes,
    currency: Currency,
) -> Option<Totals> {
    // Wide enough for the sum of any lines: whether a sum is too large must not depend on their order.
    let (mut amounts, mut tax_total) = (0_i128, 0_i128);
    for line in lines {
        let amount_of = |money: Money| (money.currency() == currency).then(|| i128::from(money.minor()));
        amounts = amounts.checked_add(amount_of(line.line_amount)?)?;
        tax_total = tax_total.checked_add(amount_of(line.tax_amount)?)?;
    }
    let (sub_total, total) = match types {
        LineAmountTypes::Exclusive | LineAmountTypes::NoTax => (amounts, amounts.checked_add(tax_total)?),
        LineAmountTypes::Inclusive => (amounts.checked_sub(tax_total)?, amounts),
    };
    let money = |minor: i128| Some(Money::new(i64::try_from(minor).ok()?, currency));
    let (sub_total, tax_total, total) = (money(sub_total)?, money(tax_total)?, money(total)?);
    // The limit applies to the total: a single line may exceed it if other lines are negative.
    (total.is_negative() || total.is_within_limit()).then_some(Totals { sub_total, tax_total, total })
}

/// Divides, rounding half away from zero. `divisor` is above zero.
fn divide_rounding(value: i128, divisor: i128) -> Option<i128> {
    let half = divisor.checked_div(2)?;
    let away = if value < 0 { value.checked_sub(half)? } else { value.checked_add(half)? };
    // With an odd divisor the half is rounded down. The result is still exact: no quotient lies exactly
    // between two whole numbers.
    away.checked_div(divisor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn currency(code: &str) -> Currency {
        Currency::parse(code).unwrap()
    }

    fn number(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    fn sum(lines: &[(&str, &str, &str)], types: LineAmountTypes, code: &str) -> Totals {
        let amounts = lines.iter().map(|(quantity, unit, rate)| {
            line_amounts(number(quantity), number(unit), number(rate), types, currency(code)).unwrap()
        });
        totals(amounts, types, currency(code)).unwrap()
    }

    fn written(totals: Totals) -> [String; 3] {
        [totals.sub_total, totals.tax_total, totals.total].map(|amount| amount.to_string())
    }

    #[test]
    fn tax_is_rounded_line_by_line() {
        let lines = [("1", "25.06", "15"), ("1", "25.61", "15"), ("1", "25.63", "15")];
        assert_eq!(written(sum(&lines, LineAmountTypes::Exclusive, "AUD")), ["76.30", "11.44", "87.74"]);
    }

    #[test]
    fn inclusive_amounts_contain_their_tax() {
        let total = sum(&[("1", "9.99", "20")], LineAmountTypes::Inclusive, "AUD");
        assert_eq!(written(total), ["8.32", "1.67", "9.99"]);
    }

    #[test]
    fn halves_are_rounded_away_from_zero_to_the_decimals_of_the_currency() {
        assert_eq!(
            written(sum(&[("1", "0.005", "0")], LineAmountTypes::NoTax, "AUD")),
            ["0.01", "0.00", "0.01"]
        );
        assert_eq!(
            written(sum(&[("1", "-0.005", "0")], LineAmountTypes::NoTax, "AUD")),
            ["-0.01", "0.00", "-0.01"]
        );
        assert_eq!(
            written(sum(&[("3", "33.5", "10")], LineAmountTypes::Exclusive, "JPY")),
            ["101", "10", "111"]
        );
        assert_eq!(
            written(sum(&[("1", "1.2345", "0")], LineAmountTypes::Exclusive, "BHD")),
            ["1.235", "0.000", "1.235"]
        );
    }

    #[test]
    fn a_discount_line_reduces_the_tax() {
        let lines = [("2", "50", "10"), ("1", "-10", "10")];
        assert_eq!(written(sum(&lines, LineAmountTypes::Exclusive, "AUD")), ["90.00", "9.00", "99.00"]);
    }

    #[test]
    fn too_large_amounts_are_none_and_do_not_wrap() {
        let huge = Decimal::from_ten_thousandths(i64::MAX);
        assert_eq!(
            line_amounts(huge, huge, number("100"), LineAmountTypes::Exclusive, currency("BHD")),
            None
        );
        let line = line_amounts(
            number("1"),
            number("999999999999"),
            number("0"),
            LineAmountTypes::NoTax,
            currency("AUD"),
        )
        .unwrap();
        assert_eq!(totals([line, line], LineAmountTypes::NoTax, currency("AUD")), None);
    }

    fn types() -> impl Strategy<Value = LineAmountTypes> {
        prop_oneof![
            Just(LineAmountTypes::Exclusive),
            Just(LineAmountTypes::Inclusive),
            Just(LineAmountTypes::NoTax)
        ]
    }

    fn lines() -> impl Strategy<Value = Vec<(i64, i64, i64)>> {
        prop::collection::vec(
            (1_i64..100_000_000, -1_000_000_000_i64..1_000_000_000, 0_i64..=1_000_000),
            0..30,
        )
    }

    fn amounts(lines: &[(i64, i64, i64)], types: LineAmountTypes, currency: Currency) -> Vec<LineAmounts> {
        let decimal = Decimal::from_ten_thousandths;
        let each = lines.iter().map(|(quantity, unit, rate)| {
            line_amounts(decimal(*quantity), decimal(*unit), decimal(*rate), types, currency).unwrap()
        });
        each.collect()
    }

    #[test]
    fn sum_that_is_too_large_on_the_way_is_none_that_is_too_large() {
        let line = |minor| LineAmounts {
            line_amount: Money::new(minor, currency("AUD")),
            tax_amount: Money::zero(currency("AUD")),
        };
        let lines = [i64::MAX, i64::MAX, -i64::MAX, -i64::MAX].map(line);
        let none = Money::zero(currency("AUD"));
        let expected = Some(Totals { sub_total: none, tax_total: none, total: none });
        assert_eq!(totals(lines, LineAmountTypes::Exclusive, currency("AUD")), expected);
        assert_eq!(totals(lines[..2].to_vec(), LineAmountTypes::Exclusive, currency("AUD")), None);
    }

    proptest! {
        #[test]
        fn totals_equal_the_sums_of_their_lines(lines in lines(), types in types(), code in prop_oneof![Just("AUD"), Just("JPY"), Just("BHD")]) {
            let currency = currency(code);
            let amounts = amounts(&lines, types, currency);
            let sum = |part: fn(&LineAmounts) -> Money| amounts.iter().map(|line| i128::from(part(line).minor())).sum::<i128>();
            let totals = totals(amounts.iter().copied(), types, currency).unwrap();
            prop_assert_eq!(totals.sub_total.checked_add(totals.tax_total), Some(totals.total));
            prop_assert_eq!(i128::from(totals.tax_total.minor()), sum(|line| line.tax_amount));
            let charged = if types == LineAmountTypes::Inclusive { totals.total } else { totals.sub_total };
            prop_assert_eq!(i128::from(charged.minor()), sum(|line| line.line_amount));
        }

        #[test]
        fn the_order_of_lines_does_not_matter(lines in lines(), types in types(), turn in 0_usize..30) {
            let currency = currency("AUD");
            let one = amounts(&lines, types, currency);
            let mut other = one.clone();
            other.reverse();
            other.rotate_left(turn.min(one.len()));
            prop_assert_eq!(totals(one, types, currency), totals(other, types, currency));
        }

        #[test]
        fn a_rounded_amount_is_at_most_half_a_minor_unit_off(quantity in 1_i64..10_000_000, unit in -10_000_000_i64..10_000_000) {
            let decimal = Decimal::from_ten_thousandths;
            let line = line_amounts(decimal(quantity), decimal(unit), Decimal::ZERO, LineAmountTypes::Exclusive, currency("AUD")).unwrap();
            let exact = i128::from(quantity) * i128::from(unit) * 100;
            let off = (i128::from(line.line_amount.minor()) * ONE * ONE - exact).abs();
            prop_assert!(off * 2 <= ONE * ONE);
        }

        #[test]
        fn tax_inside_an_amount_is_the_tax_on_the_rest(unit in 0_i64..1_000_000_000, rate in 0_i64..=1_000_000) {
            let decimal = Decimal::from_ten_thousandths;
            let line = line_amounts(Decimal::ONE, decimal(unit), decimal(rate), LineAmountTypes::Inclusive, currency("AUD")).unwrap();
            let net = line.line_amount.checked_sub(line.tax_amount).unwrap();
            // tax = net x rate / 100, up to the rounding of the one division: half a minor unit times (1 +
            // rate / 100).
            let off = i128::from(line.tax_amount.minor()) * HUNDRED_PERCENT - i128::from(net.minor()) * i128::from(rate);
            prop_assert!(off.abs() * 2 <= HUNDRED_PERCENT + i128::from(rate));
        }
    }
}
