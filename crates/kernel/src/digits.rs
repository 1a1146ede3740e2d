//! Writes whole numbers as digits. A page of invoices has hundreds of numbers, and `format!` takes several
//! times as long.

/// The digits of `u64::MAX`.
const MAX_DIGITS: usize = 20;

/// Writes a number with exactly `width` digits, at most twenty, padded with leading zeros.
pub(crate) fn push_digits(text: &mut String, number: u64, width: usize) {
    let mut digits = [b'0'; MAX_DIGITS];
    let mut rest = number;
    for digit in digits.iter_mut().rev().take(width) {
        *digit = b'0'.saturating_add(u8::try_from(rest % 10).unwrap_or_default());
        rest /= 10;
    }
    let written = digits.get(MAX_DIGITS.saturating_sub(width)..).unwrap_or_default();
    text.push_str(str::from_utf8(written).unwrap_or_default());
}

/// The number of digits of a number.
pub(crate) fn count(number: u64) -> usize {
    number.checked_ilog10().map_or(1, |power| usize::try_from(power).unwrap_or_default().saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn digits_are_those_of_format(number: u64, width in 1_usize..=20) {
            let mut text = String::new();
            push_digits(&mut text, number, count(number));
            prop_assert_eq!(&text, &number.to_string());
            let fits = number % 10_u64.saturating_pow(u32::try_from(width).unwrap());
            text.clear();
            push_digits(&mut text, fits, width);
            prop_assert_eq!(text, format!("{fits:0width$}"));
        }
    }

    #[test]
    fn zero_has_one_digit_and_the_largest_number_twenty() {
        assert_eq!((count(0), count(9), count(10), count(u64::MAX)), (1, 1, 2, MAX_DIGITS));
    }
}
