//! Colours of a mail: the brand's colour, and colours that are readable on it and beside it.

use crate::color::Color;

/// White and almost black.
const LIGHT: Color = Color::new(255, 255, 255);
const DARK: Color = Color::new(0x1b, 0x24, 0x30);
/// The brand colour of accounts that have set none.
const PLAIN: Color = Color::new(0x1f, 0x3a, 0x5f);

/// The colours of a mail, each as `#rrggbb`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Palette {
    /// The brand's colour, for backgrounds.
    pub(super) brand: String,
    /// The colour of text on such a background.
    pub(super) on_brand: String,
    /// The colour of emphasised text on white: the brand's colour if it is readable there.
    pub(super) accent: String,
}

impl Palette {
    /// The palette of a brand, or the default palette when the text is not a colour.
    pub(super) fn of(brand_color: Option<&str>) -> Self {
        let brand = brand_color.and_then(Color::parse).unwrap_or(PLAIN);
        let light_is_better = brand.contrast(LIGHT) >= brand.contrast(DARK);
        Self {
            brand: brand.to_string(),
            on_brand: if light_is_better { LIGHT } else { DARK }.to_string(),
            accent: if brand.is_readable_on(LIGHT) { brand } else { DARK }.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(one: &str, two: &str) -> u128 {
        Color::parse(one).unwrap().contrast(Color::parse(two).unwrap())
    }

    #[test]
    fn text_can_be_read_on_every_brand() {
        for part in 0..=255_u8 {
            for brand in [
                Color::new(part, part, part),
                Color::new(part, 0, 255 - part),
                Color::new(255, part, 0),
                Color::new(0, part, 128),
            ] {
                let palette = Palette::of(Some(&brand.to_string()));
                let readable = ratio(&palette.brand, &palette.on_brand);
                assert!(readable >= 3_900, "{palette:?}: {readable}");
                assert!(ratio(&palette.accent, "#ffffff") >= 4_500, "{palette:?}");
            }
        }
    }

    #[test]
    fn what_is_no_colour_gets_into_no_style_sheet() {
        assert_eq!(Palette::of(Some("#ff0000;background:url(x)")), Palette::of(None));
    }
}
