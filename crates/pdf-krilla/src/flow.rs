//! The flow of blocks over pages.

use crate::block::{Block, Strip};
use crate::element::Element;
use crate::geometry::{BOTTOM, TOP};

/// The elements of one page.
pub(crate) type Page = Vec<Element>;

/// Puts blocks beneath each other and turns the page where it is full.
pub(crate) struct Flow {
    pages: Vec<Page>,
    page: Page,
    top: f32,
    running_head: Option<Strip>,
}

impl Flow {
    pub(crate) const fn new() -> Self {
        Self { pages: Vec::new(), page: Vec::new(), top: TOP, running_head: None }
    }

    /// Puts a block down in one piece: on the next page where this one has no room for it. What fits on no
    /// page, or is so high that it would leave half a page empty, is poured.
    pub(crate) fn place(&mut self, block: Block) {
        let height = block.height();
        let fits = height <= self.room();
        if !fits && height <= (BOTTOM - TOP) * 0.6 {
            self.turn();
        }
        self.pour(block);
    }

    /// Puts a block down strip by strip.
    pub(crate) fn pour(&mut self, block: Block) {
        for strip in block.0 {
            if strip.height > self.room() {
                self.turn();
            }
            self.put(strip);
        }
    }

    /// Leaves space, unless the page begins here.
    pub(crate) fn gap(&mut self, height: f32) {
        if self.top > TOP {
            self.top += height;
        }
    }

    /// What every page begins with from now on, this one included.
    pub(crate) fn run_head(&mut self, head: Strip) {
        self.put(head.clone());
        self.running_head = Some(head);
    }

    /// Pages begin with nothing from now on.
    pub(crate) fn drop_head(&mut self) {
        self.running_head = None;
    }

    /// The pages; there is at least one.
    pub(crate) fn finish(mut self) -> Vec<Page> {
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
        let elements = strip.elements.into_iter().map(|element| element.lowered(top));
        self.page.extend(elements);
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
        // 730 points a page, 20 of them the head: 23 strips.
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
