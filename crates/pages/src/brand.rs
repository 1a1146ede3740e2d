//! The brand colour of an account, as a style element.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use invoices::Color;
use ring::digest::{SHA256, digest};

/// The backgrounds of the style sheet, light and dark.
const BACKGROUNDS: [(&str, Color); 2] =
    [("light", Color::new(0xff, 0xff, 0xff)), ("dark", Color::new(0x14, 0x18, 0x1f))];

/// The style element that replaces the default accent colour with a brand's colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brand {
    css: String,
}

impl Brand {
    /// The style of a brand colour, for each colour scheme in which text in that colour is readable. `None`
    /// when the text is not a colour, or the colour is readable in neither scheme.
    #[must_use]
    pub fn of(color: &str) -> Option<Self> {
        let color = Color::parse(color)?;
        let schemes = BACKGROUNDS.iter().filter(|(_, background)| color.is_readable_on(*background));
        let css: String = schemes
            .map(|(scheme, _)| {
                format!("@media screen and (prefers-color-scheme:{scheme}){{:root{{--accent:{color}}}}}")
            })
            .collect();
        (!css.is_empty()).then_some(Self { css })
    }

    /// The text of the element.
    #[must_use]
    pub fn css(&self) -> &str {
        &self.css
    }

    /// The element as a source of a `Content-Security-Policy`: `'sha256-…'`.
    #[must_use]
    pub fn csp_source(&self) -> String {
        format!("'sha256-{}'", STANDARD.encode(digest(&SHA256, self.css.as_bytes())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stylesheet::CSS;

    /// The value of a custom property in each of the two schemes.
    fn colors(name: &str) -> [Color; 2] {
        let found: Vec<Color> = CSS
            .split(&format!("{name}: "))
            .skip(1)
            .filter_map(|rest| Color::parse(rest.split(';').next()?))
            .collect();
        found.try_into().unwrap()
    }

    #[test]
    fn every_text_of_the_style_sheet_can_be_read_in_both_schemes() {
        let backgrounds = colors("--background");
        assert_eq!(backgrounds, BACKGROUNDS.map(|(_, background)| background));
        for name in ["--text", "--muted", "--accent", "--alert"] {
            for (color, background) in colors(name).into_iter().zip(backgrounds) {
                assert!(color.is_readable_on(background), "{name}: {color} on {background}");
            }
        }
    }

    #[test]
    fn brand_colour_is_used_where_it_can_be_read() {
        let css = |color| Brand::of(color).map(|brand| brand.css);
        let light = "@media screen and (prefers-color-scheme:light){:root{--accent:#0b6e4f}}";
        assert_eq!(css("#0B6E4F").as_deref(), Some(light));
        let dark = "@media screen and (prefers-color-scheme:dark){:root{--accent:#ffcc00}}";
        assert_eq!(css("#ffcc00").as_deref(), Some(dark));
        for none in ["", "red", "#fff", "#0b6e4f;}*{display:none", "</style><script>"] {
            assert_eq!(css(none), None, "{none}");
        }
    }

    #[test]
    fn csp_source_is_the_hash_of_the_text() {
        let brand = Brand { css: "alert()".to_owned() };
        // echo -n 'alert()' | openssl dgst -sha256 -binary | base64
        assert_eq!(brand.csp_source(), "'sha256-S8S/VNmXuUuoIR6OhqBqwIiIkuCxXq31hCCHAHnicV8='");
    }
}
