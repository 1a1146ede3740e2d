//! Colours: greys, and colours derived from the account's brand.

pub(crate) use invoices::Color;

/// Body text.
pub(crate) const TEXT: Color = Color::new(0x1B, 0x24, 0x30);
/// Secondary text.
pub(crate) const MUTED: Color = Color::new(0x5D, 0x68, 0x78);
/// The rules between lines.
pub(crate) const RULE: Color = Color::new(0xE2, 0xE6, 0xEB);
/// The paper, and text on a dark background.
pub(crate) const WHITE: Color = Color::new(0xFF, 0xFF, 0xFF);
/// For a paid invoice.
pub(crate) const GREEN: Color = Color::new(0x1F, 0x8A, 0x57);
/// For a cancelled invoice.
pub(crate) const RED: Color = Color::new(0xC2, 0x3B, 0x32);
/// The accent of an account without a brand.
const DEFAULT_BRAND: Color = Color::new(0x1F, 0x4E, 0x79);

/// The perceived brightness, 0 to 255 (the luma of ITU-R BT.601).
fn brightness(color: Color) -> u32 {
    let [red, green, blue] = color.parts().map(u32::from);
    (red * 299 + green * 587 + blue * 114) / 1_000
}

/// A colour mixed with so many percent of another.
fn mixed(one: Color, two: Color, percent: u16) -> Color {
    let mix = |one: u8, two: u8| {
        let sum = u16::from(one) * (100 - percent) + u16::from(two) * percent;
        u8::try_from(sum / 100).unwrap_or(u8::MAX)
    };
    let ([red, green, blue], [red2, green2, blue2]) = (one.parts(), two.parts());
    Color::new(mix(red, red2), mix(green, green2), mix(blue, blue2))
}

/// The colours of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BrandColors {
    /// Bars and buttons.
    pub(crate) fill: Color,
    /// Text on bars and buttons.
    pub(crate) on_fill: Color,
    /// Text in the brand's colour, dark enough to be read on white.
    pub(crate) text: Color,
    /// The background of panels.
    pub(crate) tint: Color,
}

impl BrandColors {
    /// The brand of a colour; the default when there is no colour or it cannot be parsed.
    pub(crate) fn of(color: Option<&str>) -> Self {
        let fill = color.and_then(Color::parse).unwrap_or(DEFAULT_BRAND);
        let bright = brightness(fill);
        // Bars in a nearly white brand colour would be invisible: they become grey.
        let fill = if bright > 235 { mixed(fill, MUTED, 25) } else { fill };
        Self {
            fill,
            on_fill: if bright > 150 { TEXT } else { WHITE },
            text: match bright {
                0..=125 => fill,
                126..=175 => mixed(fill, TEXT, 35),
                _ => TEXT,
            },
            tint: mixed(fill, WHITE, 93),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_colour_counts_as_none() {
        assert_eq!(BrandColors::of(Some("red")), BrandColors::of(None));
    }

    #[test]
    fn text_is_legible_on_every_brand() {
        for value in 0..=0xFFF_u32 {
            let color = format!("#{:x}{:x}{:x}", (value >> 8) * 17, (value >> 4 & 15) * 17, 0xff);
            let brand = BrandColors::of(Some(&color));
            let away = brightness(brand.fill).abs_diff(brightness(brand.on_fill));
            assert!(away > 80, "{color}: {away}");
            assert!(brightness(brand.text) < 140, "{color}");
        }
    }
}
