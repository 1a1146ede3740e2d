//! Colours of a letter: the brand's, and those that can be read on and beside it.
//!
//! Contrast is reckoned as WCAG 2.2 does ("relative luminance", "contrast ratio"), in whole numbers.

/// White, and what is nearly black.
const LIGHT: Color = Color(255, 255, 255);
const DARK: Color = Color(0x1b, 0x24, 0x30);
/// The brand of those who have set none.
const PLAIN: Color = Color(0x1f, 0x3a, 0x5f);

/// The colours of a letter, each as `#rrggbb`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Palette {
    /// The brand's colour, for areas.
    pub(super) brand: String,
    /// The colour of text on such an area.
    pub(super) on_brand: String,
    /// The colour of text that stands out on white: the brand's where it can be read there.
    pub(super) accent: String,
}

impl Palette {
    /// The palette of a brand; of a plain one when the text is no colour.
    pub(super) fn of(brand_color: Option<&str>) -> Self {
        let brand = brand_color.and_then(Color::parse).unwrap_or(PLAIN);
        let light_is_better = brand.ratio(LIGHT) >= brand.ratio(DARK);
        // 4.5 to 1 is what text of usual size needs.
        let is_readable = brand.ratio(LIGHT) >= 4_500;
        Self {
            brand: brand.text(),
            on_brand: if light_is_better { LIGHT } else { DARK }.text(),
            accent: if is_readable { brand } else { DARK }.text(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Color(u8, u8, u8);

impl Color {
    /// Reads `#rrggbb` and nothing else: what comes out again goes into style sheets.
    fn parse(text: &str) -> Option<Self> {
        let digits = text.trim().strip_prefix('#')?;
        if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let part = |from: usize| u8::from_str_radix(digits.get(from..from + 2)?, 16).ok();
        Some(Self(part(0)?, part(2)?, part(4)?))
    }

    fn text(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// The contrast to another colour, in thousandths: 1,000 to 21,000.
    fn ratio(self, other: Self) -> u128 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 50_000) * 1_000 / (one.min(two) + 50_000)
    }

    /// The relative luminance, in millionths.
    fn luminance(self) -> u128 {
        let [red, green, blue] = [self.0, self.1, self.2].map(linear);
        (2_126 * red + 7_152 * green + 722 * blue) / 10_000
    }
}

/// The light of one part of a colour, in millionths: `((part + 0.055) / 1.055) ^ 2.4` of a part from 0 to 1,
/// or `part / 12.92` of a small one.
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
        Color::parse(one).unwrap().ratio(Color::parse(two).unwrap())
    }

    #[test]
    fn contrast_is_what_the_well_known_checkers_say() {
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
    fn text_can_be_read_on_every_brand() {
        for part in 0..=255_u8 {
            for brand in [
                Color(part, part, part),
                Color(part, 0, 255 - part),
                Color(255, part, 0),
                Color(0, part, 128),
            ] {
                let palette = Palette::of(Some(&brand.text()));
                let readable = ratio(&palette.brand, &palette.on_brand);
                assert!(readable >= 3_900, "{palette:?}: {readable}");
                assert!(ratio(&palette.accent, "#ffffff") >= 4_500, "{palette:?}");
            }
        }
    }

    #[test]
    fn what_is_no_colour_gets_into_no_style_sheet() {
        let plain = Palette::of(None);
        for text in ["", "red", "#fff", "#12345g", "#1234567", "#ff0000;background:url(x)", "#１２３４５６"]
        {
            assert_eq!(Palette::of(Some(text)), plain, "{text}");
        }
        assert_eq!(Palette::of(Some(" #FFCC00 ")).brand, "#ffcc00");
    }
}
