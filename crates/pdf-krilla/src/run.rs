//! Runs of glyphs, each at most one line long, and the breaking of text into runs.

use std::ops::Range;

use krilla::text::KrillaGlyph;

use crate::typeface::{Typefaces, Weight};

/// The glyphs of text on one line.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub(crate) weight: Weight,
    pub(crate) text: String,
    pub(crate) glyphs: Vec<KrillaGlyph>,
    /// The width, as a multiple of the font size.
    pub(crate) width: f32,
}

/// How a text is shaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) weight: Weight,
    /// Whether the text is a figure in a column of figures.
    pub(crate) in_columns: bool,
}

/// The smallest unit of layout: a character with its accents.
struct GlyphCluster {
    glyphs: Range<usize>,
    bytes: Range<usize>,
    width: f32,
    is_space: bool,
}

/// Breaks a text into runs no wider than `most` times the font size: at its line breaks, between words, after
/// hyphens and slashes inside words, and anywhere in a word that is wider than the line.
pub(crate) fn runs(typefaces: &Typefaces, cut: Cut, text: &str, most: f32) -> Vec<Run> {
    let face = typefaces.of(cut.weight);
    printable(text)
        .split('\n')
        .flat_map(|paragraph| {
            let glyphs = face.shape(paragraph, cut.in_columns);
            let clusters = clusters(paragraph, &glyphs);
            lines(paragraph, &clusters, most)
                .into_iter()
                .filter_map(|line| run(cut.weight, paragraph, &glyphs, clusters.get(line)?))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Text with `\n` as its only control character. Tabs become four spaces, since there are no tab stops.
fn printable(text: &str) -> String {
    text.replace("\r\n", "\n")
        .replace(['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'], "\n")
        .replace('\t', "    ")
        .chars()
        .map(|c| if c.is_control() && c != '\n' { ' ' } else { c })
        .collect()
}

fn clusters(text: &str, glyphs: &[KrillaGlyph]) -> Vec<GlyphCluster> {
    let mut clusters: Vec<GlyphCluster> = Vec::new();
    for (index, glyph) in glyphs.iter().enumerate() {
        match clusters.last_mut() {
            Some(last) if last.bytes == glyph.text_range => {
                last.glyphs.end = index + 1;
                last.width += glyph.x_advance;
            }
            _ => clusters.push(GlyphCluster {
                glyphs: index..index + 1,
                bytes: glyph.text_range.clone(),
                width: glyph.x_advance,
                is_space: text
                    .get(glyph.text_range.clone())
                    .is_some_and(|part| part.chars().all(is_breaking_space)),
            }),
        }
    }
    clusters
}

/// Whether a line may break at this space. No-break spaces keep the words around them together.
fn is_breaking_space(c: char) -> bool {
    c == '\u{200b}' || (c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}'))
}

/// The lines of a paragraph, as ranges of its clusters. An empty paragraph is one empty line.
fn lines(text: &str, clusters: &[GlyphCluster], most: f32) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut width = 0.0;
    let mut break_at = None;
    let mut before = "";
    for (index, cluster) in clusters.iter().enumerate() {
        // Spaces may extend beyond the edge, where they are invisible.
        while !cluster.is_space && width + cluster.width > most && index > start {
            let at = break_at.take().unwrap_or(index);
            lines.push(start..at);
            start = at;
            width = clusters.get(at..index).unwrap_or_default().iter().map(|cluster| cluster.width).sum();
        }
        width += cluster.width;
        let part = text.get(cluster.bytes.clone()).unwrap_or_default();
        if cluster.is_space || breaks_after(before, part) {
            break_at = Some(index + 1);
        }
        before = part;
    }
    lines.push(start..clusters.len());
    lines
}

fn breaks_after(before: &str, part: &str) -> bool {
    matches!(part, "-" | "/" | "–" | "—" | "\u{ad}") && before.ends_with(char::is_alphanumeric)
}

/// The run of a line's clusters, without trailing spaces.
fn run(weight: Weight, text: &str, glyphs: &[KrillaGlyph], line: &[GlyphCluster]) -> Option<Run> {
    let seen = line.iter().rposition(|cluster| !cluster.is_space);
    let line = line.get(..seen.map_or(0, |last| last + 1))?;
    let start = line.first().map_or(0, |cluster| cluster.bytes.start);
    let end = line.last().map_or(0, |cluster| cluster.bytes.end);
    let first = line.first().map_or(0, |cluster| cluster.glyphs.start);
    let last = line.last().map_or(0, |cluster| cluster.glyphs.end);
    let rebased = |glyph: &KrillaGlyph| {
        let mut glyph = glyph.clone();
        let bytes = &glyph.text_range;
        glyph.text_range = bytes.start.saturating_sub(start)..bytes.end.saturating_sub(start);
        glyph
    };
    Some(Run {
        weight,
        text: text.get(start..end)?.to_owned(),
        glyphs: glyphs.get(first..last)?.iter().map(rebased).collect(),
        width: line.iter().map(|cluster| cluster.width).sum(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(text: &str, most: f32) -> Vec<String> {
        let typefaces = Typefaces::parse().unwrap();
        let cut = Cut { weight: Weight::Regular, in_columns: false };
        let runs = runs(&typefaces, cut, text, most);
        for run in &runs {
            assert!(run.width <= most || run.text.chars().count() == 1, "{run:?}");
            for glyph in &run.glyphs {
                assert!(run.text.get(glyph.text_range.clone()).is_some(), "{glyph:?}");
            }
        }
        runs.into_iter().map(|run| run.text).collect()
    }

    #[test]
    fn lines_break_between_words_and_lose_no_letter() {
        assert_eq!(broken("one two  three", 4.5), ["one two", "three"]);
        assert_eq!(broken("", 4.0), [""]);
        assert_eq!(broken("a\r\nb\n\nc\u{2028}d", 4.0), ["a", "b", "", "c", "d"]);
        assert_eq!(broken("tab\there", 9.0), ["tab    here"]);
    }

    #[test]
    fn long_words_break_where_they_must_and_at_hyphens_where_they_can() {
        assert_eq!(broken("well-known-fact", 6.0), ["well-known-", "fact"]);
        let parts = broken(&"m".repeat(40), 6.0);
        assert!(parts.len() > 4);
        assert_eq!(parts.concat(), "m".repeat(40));
        // A line that is too narrow for any letter still gets one.
        assert_eq!(broken("abc", 0.1), ["a", "b", "c"]);
    }

    #[test]
    fn no_break_spaces_hold() {
        assert_eq!(broken("due AUD\u{a0}100", 5.0), ["due", "AUD\u{a0}100"]);
    }

    #[test]
    fn an_accent_stays_with_its_letter() {
        for part in broken(&"x\u{323}\u{30b}".repeat(30), 3.0) {
            assert!(part.starts_with('x'), "{part:?}");
        }
    }
}
