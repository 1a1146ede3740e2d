//! Blocks: strips of marks, one beneath the other. A page break falls between two strips, never into one.

use crate::mark::Mark;

/// Marks that stay together, measured from the strip's own top.
#[derive(Debug, Clone, Default)]
pub(crate) struct Strip {
    pub(crate) height: f32,
    pub(crate) marks: Vec<Mark>,
}

/// Strips, one beneath the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Block(pub(crate) Vec<Strip>);

impl Block {
    /// A block of one strip.
    pub(crate) fn strip(height: f32, marks: Vec<Mark>) -> Self {
        Self(vec![Strip { height, marks }])
    }

    /// Space.
    pub(crate) fn gap(height: f32) -> Self {
        Self::strip(height, Vec::new())
    }

    /// The height of all strips.
    pub(crate) fn height(&self) -> f32 {
        self.0.iter().map(|strip| strip.height).sum()
    }

    /// This block with another beneath.
    pub(crate) fn above(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// This block with another beside, which has its marks further right. Where one of them is higher than `most`, side by side would
    /// not fit on a page: the other goes beneath then.
    pub(crate) fn beside(self, other: Self, most: f32) -> Self {
        let height = self.height().max(other.height());
        if height > most {
            return self.above(other);
        }
        let mut marks = self.into_marks();
        marks.extend(other.into_marks());
        Self::strip(height, marks)
    }

    /// This block in one strip, with marks beneath its own.
    pub(crate) fn on(self, mut ground: Vec<Mark>) -> Self {
        let height = self.height();
        ground.extend(self.into_marks());
        Self::strip(height, ground)
    }

    /// The marks of all strips, measured from the top of the block.
    pub(crate) fn into_marks(self) -> Vec<Mark> {
        let mut top = 0.0;
        let mut marks = Vec::new();
        for strip in self.0 {
            marks.extend(strip.marks.into_iter().map(|mark| mark.lowered(top)));
            top += strip.height;
        }
        marks
    }

    /// Puts space above the first strip's marks and below the last one's, without letting a page break in between.
    pub(crate) fn padded(mut self, above: f32, below: f32) -> Self {
        if let Some(first) = self.0.first_mut() {
            first.height += above;
            let marks = std::mem::take(&mut first.marks);
            first.marks = marks.into_iter().map(|mark| mark.lowered(above)).collect();
        }
        if let Some(last) = self.0.last_mut() {
            last.height += below;
        }
        self
    }

    /// Adds a mark to the first strip.
    pub(crate) fn mark_first(&mut self, mark: Mark) {
        if let Some(first) = self.0.first_mut() {
            first.marks.push(mark);
        }
    }
}
