//! The address of the payment page, for those who read on paper.

use crate::block::Block;
use crate::geometry::{Area, FIRST_COLUMN_WIDTH, LEFT};
use crate::layout::Matter;
use crate::mark::Mark;
use crate::typesetter::Style;

pub(crate) fn block(matter: &Matter<'_>) -> Block {
    if !matter.is_payable() {
        return Block::default();
    }
    let head = matter
        .set
        .paragraph("PAY ONLINE", Style::HEAD, LEFT, FIRST_COLUMN_WIDTH);
    head.padded(0.0, 2.0).above(address(matter))
}

/// The address, every line of which leads there.
fn address(matter: &Matter<'_>) -> Block {
    let style = Style::SMALL.inked(matter.brand.text);
    let mut block = matter
        .set
        .paragraph(matter.pay_url, style, LEFT, FIRST_COLUMN_WIDTH);
    for strip in &mut block.0 {
        let links: Vec<Mark> = strip
            .marks
            .iter()
            .filter_map(|mark| match mark {
                Mark::Text { run, size, .. } => Some(Mark::Link(Area {
                    left: LEFT,
                    top: 0.0,
                    width: run.width * size,
                    height: strip.height,
                })),
                _ => None,
            })
            .collect();
        strip.marks.extend(links);
    }
    block
}
