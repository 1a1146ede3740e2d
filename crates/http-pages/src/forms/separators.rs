//! Separators of thousands in amounts, which pages show and people therefore enter.

/// Why a comma is not taken for a separator: `1,250` is 1250 to some people and 1.25 to others.
const AMBIGUOUS: &str = "must be written without a separator of thousands, such as 1250.50";

/// A number without the commas between its thousands, such as those of `1,250.50` and `1,250,000`. Any other
/// text stays as it is. `decimals` is how many decimals the number may have: `1,250` is 1250 if it has none.
///
/// # Errors
/// When a comma may stand for a decimal point.
pub(crate) fn without_separators(text: &str, decimals: u32) -> Result<String, &'static str> {
    let text = text.trim();
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let mut groups = whole.strip_prefix('-').unwrap_or(whole).split(',');
    let first = groups.next().unwrap_or_default();
    let rest: Vec<&str> = groups.collect();
    let is_grouped = is_digits(first)
        && first.len() <= 3
        && !first.starts_with('0')
        && !rest.is_empty()
        && rest.iter().all(|group| group.len() == 3 && is_digits(group))
        && fraction.is_none_or(is_digits);
    match (is_grouped, decimals == 0 || fraction.is_some() || rest.len() > 1) {
        (true, true) => Ok(text.replace(',', "")),
        (true, false) => Err(AMBIGUOUS),
        (false, _) => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_between_thousands_are_left_out_where_they_mean_nothing_else() {
        for (text, number) in [
            ("1,250.50", "1250.50"),
            (" 12,345,678 ", "12345678"),
            ("-1,250.5", "-1250.5"),
            ("999,999,999,999.99", "999999999999.99"),
        ] {
            assert_eq!(without_separators(text, 2).as_deref(), Ok(number), "{text}");
        }
        for text in ["1,250", "-250,000"] {
            assert_eq!(without_separators(text, 2), Err(AMBIGUOUS), "{text}");
        }
        // These are refused as they are.
        for text in [
            "1,5", "0,125", "1,25.50", "1250,000.5", ",250.50", "1.250,50", "1,250.", "1,250.5,0", "1,,250.5",
        ] {
            assert_eq!(without_separators(text, 2).as_deref(), Ok(text), "{text}");
        }
    }

    #[test]
    fn comma_in_a_number_without_decimals_is_between_thousands() {
        for (text, number) in [("4,952", "4952"), ("-250,000", "-250000"), ("12,345,678", "12345678")] {
            assert_eq!(without_separators(text, 0).as_deref(), Ok(number), "{text}");
        }
        // These are refused as they are.
        for text in ["4,95", "49,52", "0,125", "4952,"] {
            assert_eq!(without_separators(text, 0).as_deref(), Ok(text), "{text}");
        }
    }
}
