//! Blocks, and their flow over pages. A block is a column of strips with elements; a page break falls between
//! two strips, never inside one.

use crate::sheet::{BOTTOM, Element, TOP};

/// Elements that stay together, positioned relative to the strip's top.
#[derive(Debug, Clone, Default)]
pub(crate) struct Strip {
    pub(crate) height: f32,
    pub(crate) elements: Vec<Element>,
}

/// Strips, one below the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Block(pub(crate) Vec<Strip>);

impl Block {
    /// A block of one strip.
    pub(crate) fn strip(height: f32, elements: Vec<Element>) -> Self {
        Self(vec![Strip { height, elements }])
    }

    pub(crate) fn gap(height: f32) -> Self {
        Self::strip(height, Vec::new())
    }

    /// The total height of the strips.
    pub(crate) fn height(&self) -> f32 {
        self.0.iter().map(|strip| strip.height).sum()
    }

    /// This block with another below it.
    pub(crate) fn above(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// This block beside another, whose elements are further right. If one of them is higher than `most`, the
    /// two together would not fit on a page, and the other is placed below instead.
    pub(crate) fn beside(self, other: Self, most: f32) -> Self {
        let height = self.height().max(other.height());
        if height > most {
            return self.above(other);
        }
        let mut elements = self.into_elements();
        elements.extend(other.into_elements());
        Self::strip(height, elements)
    }

    /// This block as one strip, with a background element.
    pub(crate) fn on(self, background: Element) -> Self {
        let height = self.height();
        let mut elements = vec![background];
        elements.extend(self.into_elements());
        Self::strip(height, elements)
    }

    /// The elements of all strips, positioned relative to the top of the block.
    pub(crate) fn into_elements(self) -> Vec<Element> {
        let mut top = 0.0;
        let mut elements = Vec::new();
        for strip in self.0 {
            elements.extend(strip.elements.into_iter().map(|element| element.lowered(top)));
            top += strip.height;
        }
        elements
    }

    /// Adds space above the first strip's elements and below the last one's, as parts of these strips, so
    /// that no page break can separate them.
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

    /// Adds an element to the first strip.
    pub(crate) fn push_first(&mut self, element: Element) {
        if let Some(first) = self.0.first_mut() {
            first.elements.push(element);
        }
    }
}

/// The elements of one page.
pub(crate) type PageElements = Vec<Element>;

/// Places blocks one below the other, and begins a new page when the current one is full.
pub(crate) struct Flow {
    pages: Vec<PageElements>,
    page: PageElements,
    top: f32,
    running_head: Option<Strip>,
}

impl Flow {
    pub(crate) const fn new() -> Self {
        Self { pages: Vec::new(), page: Vec::new(), top: TOP, running_head: None }
    }

    /// Places a block undivided, on the next page if this one lacks the room. A block that fits on no page,
    /// or that would leave a large part of a page empty, is poured.
    pub(crate) fn place(&mut self, block: Block) {
        let height = block.height();
        if height > self.room() && height <= (BOTTOM - TOP) * 0.6 {
            self.turn();
        }
        self.pour(block);
    }

    /// Places a block strip by strip.
    pub(crate) fn pour(&mut self, block: Block) {
        for strip in block.0 {
            if strip.height > self.room() {
                self.turn();
            }
            self.put(strip);
        }
    }

    /// Leaves space, except at the top of a page.
    pub(crate) fn gap(&mut self, height: f32) {
        if self.top > TOP {
            self.top += height;
        }
    }

    /// Repeats a strip at the top of every following page, and places it here.
    pub(crate) fn run_head(&mut self, head: Strip) {
        self.put(head.clone());
        self.running_head = Some(head);
    }

    /// Ends the repetition of the strip.
    pub(crate) fn drop_head(&mut self) {
        self.running_head = None;
    }

    /// The pages, at least one.
    pub(crate) fn finish(mut self) -> Vec<PageElements> {
        self.pages.push(self.page);
        self.pages
    }

    /// The height that is left on this page.
    pub(crate) fn room(&self) -> f32 {
        BOTTOM - self.top
    }

    pub(crate) fn turn(&mut self) {
        self.pages.push(std::mem::take(&mut self.page));
        self.top = TOP;
        if let Some(head) = self.running_head.clone() {
            self.put(head);
        }
    }

    fn put(&mut self, strip: Strip) {
        let top = self.top;
        self.page.extend(strip.elements.into_iter().map(|element| element.lowered(top)));
        self.top += strip.height;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(strips: u8, height: f32) -> Block {
        Block((0..strips).map(|_| Strip { height, elements: Vec::new() }).collect())
    }

    #[test]
    fn a_block_stays_together_where_it_can() {
        let mut flow = Flow::new();
        flow.place(block(1, 500.0));
        flow.place(block(10, 30.0));
        assert_eq!(flow.pages.len(), 1);
        assert!((flow.top - TOP - 300.0).abs() < 0.01);
    }

    #[test]
    fn a_block_higher_than_a_page_is_poured_under_running_heads() {
        let mut flow = Flow::new();
        flow.run_head(Strip { height: 20.0, elements: Vec::new() });
        flow.place(block(100, 30.0));
        assert!(flow.top <= BOTTOM);
        // Each page has 730 points, 20 of them for the head: 23 strips.
        assert_eq!(flow.finish().len(), 5);
    }

    #[test]
    fn a_strip_higher_than_a_page_turns_it_once() {
        let mut flow = Flow::new();
        flow.place(block(1, 10.0));
        flow.place(block(1, 2_000.0));
        flow.place(block(1, 10.0));
        assert_eq!(flow.finish().len(), 3);
    }
}
