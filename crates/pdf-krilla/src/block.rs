//! Blocks: strips of elements, one beneath the other. A page break falls between two strips, never into one.

use crate::element::Element;

/// Elements that stay together, measured from the strip's own top.
#[derive(Debug, Clone, Default)]
pub(crate) struct Strip {
    pub(crate) height: f32,
    pub(crate) elements: Vec<Element>,
}

/// Strips, one beneath the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Block(pub(crate) Vec<Strip>);

impl Block {
    /// A block of one strip.
    pub(crate) fn strip(height: f32, elements: Vec<Element>) -> Self {
        Self(vec![Strip { height, elements }])
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

    /// This block with another beside, which has its elements further right. Where one of them is higher than
    /// `most`, side by side would not fit on a page: the other goes beneath then.
    pub(crate) fn beside(self, other: Self, most: f32) -> Self {
        let height = self.height().max(other.height());
        if height > most {
            return self.above(other);
        }
        let mut elements = self.into_elements();
        elements.extend(other.into_elements());
        Self::strip(height, elements)
    }

    /// This block in one strip, with elements beneath its own.
    pub(crate) fn on(self, mut background: Vec<Element>) -> Self {
        let height = self.height();
        background.extend(self.into_elements());
        Self::strip(height, background)
    }

    /// The elements of all strips, measured from the top of the block.
    pub(crate) fn into_elements(self) -> Vec<Element> {
        let mut top = 0.0;
        let mut elements = Vec::new();
        for strip in self.0 {
            elements.extend(strip.elements.into_iter().map(|element| element.lowered(top)));
            top += strip.height;
        }
        elements
    }

    /// Puts space above the first strip's elements and below the last one's, without letting a page break in
    /// between.
    pub(crate) fn padded(mut self, above: f32, below: f32) -> Self {
        if let Some(first) = self.0.first_mut() {
            first.height += above;
            let elements = std::mem::take(&mut first.elements);
            first.elements = elements.into_iter().map(|element| element.lowered(above)).collect();
        }
        if let Some(last) = self.0.last_mut() {
            last.height += below;
        }
        self
    }

    /// Adds a element to the first strip.
    pub(crate) fn push_first(&mut self, element: Element) {
        if let Some(first) = self.0.first_mut() {
            first.elements.push(element);
        }
    }
}
