//! The typeface: Inter in two weights, parsed once, and the shaping of text into glyphs.
//!
//! The shaped glyphs are both measured and drawn, so that text that was fitted into a line has the same width
//! when drawn. Text runs from left to right. A character that the typeface lacks (it has Latin, Greek and
//! Cyrillic) becomes a box, but copied text has the right character.

use invoices::DocumentError;
use krilla::text::{Font, GlyphId, KrillaGlyph};
use rustybuzz::{Direction, Face, Feature, ShapePlan, UnicodeBuffer, script};

const REGULAR: &[u8] = include_bytes!("../assets/Inter-Regular.ttf");
const SEMIBOLD: &[u8] = include_bytes!("../assets/Inter-SemiBold.ttf");

/// The weight of a typeface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    SemiBold,
}

pub(crate) struct Typefaces {
    regular: Typeface,
    semibold: Typeface,
}

impl Typefaces {
    pub(crate) fn parse() -> Result<Self, DocumentError> {
        Ok(Self { regular: Typeface::parse(REGULAR)?, semibold: Typeface::parse(SEMIBOLD)? })
    }

    pub(crate) fn of(&self, weight: Weight) -> &Typeface {
        match weight {
            Weight::Regular => &self.regular,
            Weight::SemiBold => &self.semibold,
        }
    }
}

pub(crate) struct Typeface {
    font: Font,
    face: Face<'static>,
    text: ShapePlan,
    figures: ShapePlan,
    missing: MissingGlyph,
}

impl Typeface {
    fn parse(bytes: &'static [u8]) -> Result<Self, DocumentError> {
        let unreadable = || DocumentError("the built-in typeface cannot be read".into());
        let font = Font::new(bytes.into(), 0).ok_or_else(unreadable)?;
        let face = Face::from_slice(bytes, 0).ok_or_else(unreadable)?;
        let missing = MissingGlyph::of(&face);
        let (text, figures) = (plan(&face, false), plan(&face, true));
        Ok(Self { font, face, text, figures, missing })
    }

    /// The font for embedding in the PDF.
    pub(crate) fn font(&self) -> Font {
        self.font.clone()
    }

    /// The glyphs of a text without control characters, measured in multiples of the font size. `in_columns`
    /// gives all digits the same width, so that figures below each other are aligned.
    pub(crate) fn shape(&self, text: &str, in_columns: bool) -> Vec<KrillaGlyph> {
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(text);
        buffer.set_direction(Direction::LeftToRight);
        buffer.set_script(script::LATIN);
        let plan = if in_columns { &self.figures } else { &self.text };
        let shaped = rustybuzz::shape_with_plan(&self.face, plan, buffer);
        let em = self.font.units_per_em();
        let mut end = text.len();
        let mut next = text.len();
        let mut glyphs: Vec<KrillaGlyph> = shaped
            .glyph_infos()
            .iter()
            .zip(shaped.glyph_positions())
            .rev()
            .map(|(info, position)| {
                let start = usize::try_from(info.cluster).unwrap_or(next).min(next);
                // Glyphs of one cluster (a letter and its accent) cover the same bytes.
                if start < next {
                    end = next;
                }
                next = start;
                let (glyph, advance) = match info.glyph_id {
                    0 => (self.missing.glyph, self.missing.advance),
                    glyph => (glyph, position.x_advance),
                };
                KrillaGlyph::new(
                    GlyphId::new(glyph),
                    units(advance) / em,
                    units(position.x_offset) / em,
                    units(position.y_offset) / em,
                    0.0,
                    start..end,
                    None,
                )
            })
            .collect();
        glyphs.reverse();
        glyphs
    }
}

/// The glyph for characters that the typeface lacks: its white square. Text in the glyph that fonts reserve
/// for this purpose could not be copied.
struct MissingGlyph {
    glyph: u32,
    advance: i32,
}

impl MissingGlyph {
    fn of(face: &Face<'_>) -> Self {
        let glyph = face.glyph_index('□').unwrap_or_default();
        Self {
            glyph: u32::from(glyph.0),
            advance: i32::from(face.glyph_hor_advance(glyph).unwrap_or_default()),
        }
    }
}

/// The shaping features: kerning and placed accents, but no ligatures or contextual alternates (`3x4` in an
/// invoice stays as its author wrote it).
fn plan(face: &Face<'_>, in_columns: bool) -> ShapePlan {
    let feature =
        |name: &[u8; 4], value| Feature::new(rustybuzz::ttf_parser::Tag::from_bytes(name), value, ..);
    let features = [feature(b"tnum", u32::from(in_columns)), feature(b"calt", 0), feature(b"liga", 0)];
    ShapePlan::new(face, Direction::LeftToRight, Some(script::LATIN), None, &features)
}

/// Font units as a float. The font format limits the measures of glyphs to 16 bits.
fn units(value: i32) -> f32 {
    f32::from(i16::try_from(value).unwrap_or(i16::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn width(text: &str) -> f32 {
        let typefaces = Typefaces::parse().unwrap();
        let glyphs = typefaces.of(Weight::Regular).shape(text, true);
        glyphs.iter().map(|glyph| glyph.x_advance).sum()
    }

    #[test]
    fn figures_in_columns_are_of_one_width() {
        assert!((width("111.11") - width("888.88")).abs() < 0.001);
    }

    #[test]
    fn every_glyph_covers_its_bytes_and_missing_characters_have_a_box() {
        let typefaces = Typefaces::parse().unwrap();
        for text in ["", "a", "e\u{301}a\u{302}\u{323}", "שלום", "漢字😀", "\u{202e}abc", "👨‍👩‍👧", "Ω я ß"]
        {
            let mut covered = 0;
            for glyph in typefaces.of(Weight::SemiBold).shape(text, false) {
                assert!(text.get(glyph.text_range.clone()).is_some(), "{text}: {glyph:?}");
                covered = covered.max(glyph.text_range.end);
            }
            assert_eq!(covered, text.len(), "{text}");
        }
        assert!(width("漢") > 0.1);
    }
}
