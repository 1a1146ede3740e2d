//! Typesetting: styles, and blocks and elements made from text.

use invoices::DocumentError;

use crate::color::{self, Color};
use crate::flow::{Block, Strip};
use crate::run::{Cut, Run, runs};
use crate::sheet::Element;
use crate::typeface::{Typefaces, Weight};

/// The appearance of text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub(crate) cut: Cut,
    pub(crate) size: f32,
    /// The distance between baselines.
    pub(crate) leading: f32,
    pub(crate) color: Color,
}

impl Style {
    /// The text of tables and blocks.
    pub(crate) const BODY: Self = Self::new(Weight::Regular, 9.0, 12.5, color::TEXT);
    /// Secondary text.
    pub(crate) const MUTED: Self = Self::BODY.colored(color::MUTED);
    /// Figures in columns.
    pub(crate) const FIGURES: Self = Self::BODY.in_columns();
    /// Emphasized text.
    pub(crate) const STRONG: Self = Self::new(Weight::SemiBold, 9.0, 12.5, color::TEXT);
    /// The names of figures, and the foot of a page.
    pub(crate) const SMALL: Self = Self::new(Weight::Regular, 8.0, 11.5, color::MUTED);
    /// The headings of blocks and columns.
    pub(crate) const HEAD: Self = Self::new(Weight::SemiBold, 8.0, 11.5, color::MUTED);

    const fn new(weight: Weight, size: f32, leading: f32, color: Color) -> Self {
        Self { cut: Cut { weight, in_columns: false }, size, leading, color }
    }

    /// The style in another colour.
    pub(crate) const fn colored(self, color: Color) -> Self {
        Self { color, ..self }
    }

    /// The style for figures in a column.
    pub(crate) const fn in_columns(self) -> Self {
        Self { cut: Cut { in_columns: true, ..self.cut }, ..self }
    }

    /// The style in another size, with the leading of a headline.
    pub(crate) fn sized(self, size: f32) -> Self {
        Self { size, leading: size * 1.25, ..self }
    }

    /// The distance from the top of a line to its baseline: it centres the small letters in the line.
    pub(crate) fn baseline(self) -> f32 {
        self.leading * 0.5 + self.size * 0.36
    }

    /// The element of a run in this style, on a line whose top is at `top`.
    pub(crate) fn element(self, run: Run, left: f32, top: f32) -> Element {
        Element::Text { left, baseline: top + self.baseline(), size: self.size, color: self.color, run }
    }
}

pub(crate) struct Typesetter {
    pub(crate) typefaces: Typefaces,
}

impl Typesetter {
    pub(crate) fn new() -> Result<Self, DocumentError> {
        Ok(Self { typefaces: Typefaces::parse()? })
    }

    /// A text broken into lines of at most `width`.
    pub(crate) fn runs(&self, text: &str, style: Style, width: f32) -> Vec<Run> {
        runs(&self.typefaces, style.cut, text, width / style.size)
    }

    /// A text as one line.
    pub(crate) fn run(&self, text: &str, style: Style) -> Run {
        let line = text.replace(char::is_control, " ");
        let mut runs = runs(&self.typefaces, style.cut, &line, f32::INFINITY);
        // One paragraph on an infinitely wide line is one run.
        runs.pop().unwrap_or(Run {
            weight: style.cut.weight,
            text: String::new(),
            glyphs: Vec::new(),
            width: 0.0,
        })
    }

    /// A text as a block of lines that begin at `left`.
    pub(crate) fn paragraph(&self, text: &str, style: Style, left: f32, width: f32) -> Block {
        self.lines(text, style, width, |_| left)
    }

    /// A text as a block of lines that end at `right`.
    pub(crate) fn ranged_right(&self, text: &str, style: Style, right: f32, width: f32) -> Block {
        self.lines(text, style, width, |run| right - run.width * style.size)
    }

    /// One line that begins at `left`, as an element whose top is at `top`.
    pub(crate) fn at(&self, text: &str, style: Style, left: f32, top: f32) -> Element {
        style.element(self.run(text, style), left, top)
    }

    /// One line that ends at `right`, as an element whose top is at `top`.
    pub(crate) fn up_to(&self, text: &str, style: Style, right: f32, top: f32) -> Element {
        let run = self.run(text, style);
        let left = right - run.width * style.size;
        style.element(run, left, top)
    }

    /// A figure that ends at `right`, in a smaller font if it would be wider than `width`.
    pub(crate) fn figure(&self, text: &str, style: Style, right: f32, width: f32) -> Element {
        self.up_to(text, self.fitted(text, style.in_columns(), width), right, 0.0)
    }

    /// A text as a block of one line that begins at `left`, in a smaller font if it would be wider than
    /// `width`.
    pub(crate) fn headline(&self, text: &str, style: Style, left: f32, width: f32) -> Block {
        let style = self.fitted(text, style, width);
        // The fitted width may be above `width` by a rounding, which would break a paragraph.
        Block::strip(style.leading, vec![self.at(text, style, left, 0.0)])
    }

    /// The style with a font small enough that the text fits on one line of `width`.
    pub(crate) fn fitted(&self, text: &str, style: Style, width: f32) -> Style {
        let wide = self.run(text, style).width * style.size;
        if wide > width { Style { size: style.size * width / wide, ..style } } else { style }
    }

    fn lines(&self, text: &str, style: Style, width: f32, left: impl Fn(&Run) -> f32) -> Block {
        let strip = |run: Run| {
            let left = left(&run);
            Strip { height: style.leading, elements: vec![style.element(run, left, 0.0)] }
        };
        Block(self.runs(text, style, width).into_iter().map(strip).collect())
    }
}
