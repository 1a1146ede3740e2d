//! Colours: greys, and colours derived from the account's brand.

/// A screen colour (sRGB).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RgbColor {
    pub(crate) red: u8,
    pub(crate) green: u8,
    pub(crate) blue: u8,
}

impl RgbColor {
    /// Body text.
    pub(crate) const TEXT: Self = Self::new(0x1B, 0x24, 0x30);
    /// Secondary text.
    pub(crate) const MUTED: Self = Self::new(0x5D, 0x68, 0x78);
    /// The rules between lines.
    pub(crate) const RULE: Self = Self::new(0xE2, 0xE6, 0xEB);
    /// The paper, and text on a dark background.
    pub(crate) const WHITE: Self = Self::new(0xFF, 0xFF, 0xFF);
    /// For a paid invoice.
    pub(crate) const GREEN: Self = Self::new(0x1F, 0x8A, 0x57);
    /// For a cancelled invoice.
    pub(crate) const RED: Self = Self::new(0xC2, 0x3B, 0x32);
    /// The accent of an account without a brand.
    const DEFAULT_BRAND: Self = Self::new(0x1F, 0x4E, 0x79);

    const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self { red, green, blue }
    }

    /// Reads `#1A2B3C`.
    fn parse(text: &str) -> Option<Self> {
        let digits = text.trim().strip_prefix('#')?;
        if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
        Some(Self::new(red, green, blue))
    }

    /// The perceived brightness, 0 to 255 (the luma of ITU-R BT.601).
    fn brightness(self) -> u32 {
        let [red, green, blue] = [self.red, self.green, self.blue].map(u32::from);
        (red * 299 + green * 587 + blue * 114) / 1_000
    }

    /// This colour mixed with so many percent of another.
    fn mixed(self, other: Self, percent: u16) -> Self {
        let percent = percent.min(100);
        let mix = |one: u8, two: u8| {
            let sum = u16::from(one) * (100 - percent) + u16::from(two) * percent;
            u8::try_from(sum / 100).unwrap_or(u8::MAX)
        };
        Self::new(mix(self.red, other.red), mix(self.green, other.green), mix(self.blue, other.blue))
    }
}

/// The colours of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BrandColors {
    /// Bars and buttons.
    pub(crate) fill: RgbColor,
    /// Text on bars and buttons.
    pub(crate) on_fill: RgbColor,
    /// Text in the brand's colour, dark enough to be read on white.
    pub(crate) text: RgbColor,
    /// The background of panels.
    pub(crate) tint: RgbColor,
}

impl BrandColors {
    /// The brand of a colour; the default when there is no colour or it cannot be parsed.
    pub(crate) fn of(color: Option<&str>) -> Self {
        let fill = color.and_then(RgbColor::parse).unwrap_or(RgbColor::DEFAULT_BRAND);
        let bright = fill.brightness();
        // Bars in a nearly white brand colour would be invisible: they become grey.
        let fill = if bright > 235 { fill.mixed(RgbColor::MUTED, 25) } else { fill };
        Self {
            fill,
            on_fill: if bright > 150 { RgbColor::TEXT } else { RgbColor::WHITE },
            text: match bright {
                0..=125 => fill,
                126..=175 => fill.mixed(RgbColor::TEXT, 35),
                _ => RgbColor::TEXT,
            },
            tint: fill.mixed(RgbColor::WHITE, 93),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn color_that_cannot_be_read_counts_as_none() {
        let default = BrandColors::of(None);
        for text in ["", "#fff", "red", "#12345g", "#１２３４５６", "123456"] {
            assert_eq!(BrandColors::of(Some(text)), default, "{text}");
        }
        assert_eq!(BrandColors::of(Some("#1a2B3c")).fill, RgbColor::new(0x1a, 0x2b, 0x3c));
    }

    #[test]
    fn text_is_legible_on_every_brand() {
        for value in 0..=0xFFF_u32 {
            let color = format!("#{:x}{:x}{:x}", (value >> 8) * 17, (value >> 4 & 15) * 17, 0xff);
            let brand = BrandColors::of(Some(&color));
            let away = brand.fill.brightness().abs_diff(brand.on_fill.brightness());
            assert!(away > 80, "{color}: {away}");
            assert!(brand.text.brightness() < 140, "{color}");
        }
    }
}
