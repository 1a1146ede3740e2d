//! Colours, and the contrast between them.
//!
//! Contrast is computed as WCAG 2.2 does ("relative luminance", "contrast ratio"), in whole numbers.

use std::fmt;

/// Red, green and blue, each from 0 to 255. Written as `#rrggbb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color(u8, u8, u8);

impl Color {
    /// A colour from its three parts.
    #[must_use]
    pub const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self(red, green, blue)
    }

    /// Parses `#rrggbb` and nothing else, because the value is written into style sheets.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.trim().strip_prefix('#')?;
        if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let part = |from: usize| u8::from_str_radix(digits.get(from..from + 2)?, 16).ok();
        Some(Self(part(0)?, part(2)?, part(4)?))
    }

    /// Red, green and blue.
    #[must_use]
    pub const fn parts(self) -> [u8; 3] {
        [self.0, self.1, self.2]
    }

    /// Whether text of usual size in this colour is readable on a background: a contrast of 4.5 to 1, plus a
    /// margin for rounding.
    #[must_use]
    pub fn is_readable_on(self, ground: Self) -> bool {
        self.contrast(ground) >= 4_550
    }

    /// The contrast to another colour, in thousandths: 1,000 to 21,000.
    #[must_use]
    pub fn contrast(self, other: Self) -> u128 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 50_000) * 1_000 / (one.min(two) + 50_000)
    }

    /// The relative luminance, in millionths.
    fn luminance(self) -> u128 {
        let [red, green, blue] = self.parts().map(linear);
        (2_126 * red + 7_152 * green + 722 * blue) / 10_000
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// The linear intensity of one part of a colour, in millionths: `((part + 0.055) / 1.055) ^ 2.4` of a part
/// from 0 to 1, or `part / 12.92` of a small one.
fn linear(part: u8) -> u128 {
    let part = u128::from(part);
    if part <= 10 {
        return part * 1_000_000_000 / 255 / 12_920;
    }
    let base = (part * 1_000_000 / 255 + 55_000) / 1_055;
    // With base in thousandths and y in millionths, y = base ^ (12 / 5) means y ^ 5 = base ^ 12 / 10 ^ 6.
    fifth_root(base.pow(12) / 1_000_000)
}

/// The largest whole number up to a million whose fifth power is at most `power`.
fn fifth_root(power: u128) -> u128 {
    let (mut low, mut high) = (0_u128, 1_000_000_u128);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if middle.pow(5) <= power {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(one: &str, two: &str) -> u128 {
        Color::parse(one).unwrap().contrast(Color::parse(two).unwrap())
    }

    #[test]
    fn only_six_digits_are_a_colour() {
        assert_eq!(Color::parse(" #1a2B3c "), Some(Color::new(0x1a, 0x2b, 0x3c)));
        for text in
            ["", "red", "#fff", "123456", "#12345g", "#1234567", "#ff0000;background:url(x)", "#１２３４５６"]
        {
            assert_eq!(Color::parse(text), None, "{text}");
        }
    }

    #[test]
    fn contrast_equals_published_values() {
        for (one, two, thousandths) in [
            ("#000000", "#ffffff", 21_000),
            ("#777777", "#ffffff", 4_478),
            ("#ff0000", "#ffffff", 3_998),
            ("#0000ff", "#ffffff", 8_592),
            ("#808080", "#000000", 5_317),
            ("#123456", "#123456", 1_000),
        ] {
            let found = ratio(one, two);
            assert!(found.abs_diff(thousandths) <= 20, "{one} {two}: {found}");
        }
    }

    #[test]
    fn light_of_a_dark_part_is_in_proportion() {
        assert_eq!([0, 1, 10].map(linear), [0, 303, 3_035]);
        assert_eq!([11, 255].map(linear), [3_344, 1_000_000]);
    }

    #[test]
    fn text_needs_four_and_a_half_to_one() {
        let white = Color::new(255, 255, 255);
        for (color, is_readable) in
            [("#777777", false), ("#767676", true), ("#ffffff", false), ("#000000", true)]
        {
            assert_eq!(Color::parse(color).unwrap().is_readable_on(white), is_readable, "{color}");
        }
    }
}
