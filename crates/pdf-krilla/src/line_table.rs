//! The table of lines, with its head on every page.

use invoices::LineItem;

use crate::block::{Block, Strip};
use crate::columns::{Cells, Columns, INSET};
use crate::flow::Flow;
use crate::geometry::{Area, LEFT, RIGHT};
use crate::ink::Ink;
use crate::layout::Matter;
use crate::mark::Mark;
use crate::typesetter::Style;

const HEAD_HEIGHT: f32 = 22.0;
const ABOVE: f32 = 3.4;
const BELOW: f32 = 3.8;

pub(crate) fn flow(matter: &Matter<'_>, flow: &mut Flow) {
    let columns = Columns::of(matter);
    let rows: Vec<Block> = matter
        .invoice
        .lines
        .iter()
        .zip(&columns.rows)
        .map(|(line, cells)| row(matter, &columns, line, cells))
        .collect();
    // A head with nothing beneath it at the foot of a page helps nobody.
    let first = rows.first().map_or(0.0, |row| row.height().min(80.0));
    if flow.room() < HEAD_HEIGHT + first {
        flow.turn();
    }
    flow.run_head(head(matter, &columns));
    if rows.is_empty() {
        flow.place(no_lines(matter));
    }
    for row in rows {
        flow.place(row);
    }
    flow.drop_head();
}

fn head(matter: &Matter<'_>, columns: &Columns) -> Strip {
    let style = Style::HEAD.inked(matter.brand.on_fill);
    let top = (HEAD_HEIGHT - style.leading) / 2.0;
    let area = Area {
        left: LEFT,
        top: 0.0,
        width: RIGHT - LEFT,
        height: HEAD_HEIGHT,
    };
    let mut marks = vec![
        Mark::Fill {
            area,
            radius: 4.0,
            ink: matter.brand.fill,
        },
        matter.set.at("Description", style, LEFT + INSET, top),
    ];
    for (text, right) in columns.heads.iter().zip(&columns.rights) {
        marks.push(matter.set.up_to(text, style, *right, top));
    }
    Strip {
        height: HEAD_HEIGHT + 2.0,
        marks,
    }
}

fn row(matter: &Matter<'_>, columns: &Columns, line: &LineItem, cells: &Cells) -> Block {
    let style = Style::FIGURES;
    let figures = cells.iter().zip(&columns.rights).map(|(run, right)| {
        let left = right - run.width * style.size;
        style.mark(run.clone(), left, 0.0)
    });
    let mut block = description(matter, columns, line.description.as_str());
    if columns.stacked {
        let figures = Block::strip(style.leading, figures.collect());
        block = block.above(figures);
    } else {
        figures.for_each(|figure| block.mark_first(figure));
    }
    ruled(block.padded(ABOVE, BELOW))
}

/// The description: its first line of text as the name of the thing, what the caller wrote beneath as its detail.
fn description(matter: &Matter<'_>, columns: &Columns, text: &str) -> Block {
    let left = LEFT + INSET;
    let (name, detail) = match text.split_once('\n') {
        Some((name, detail)) => (name, Some(detail)),
        None => (text, None),
    };
    let paragraph = |text, style| {
        matter
            .set
            .paragraph(text, style, left, columns.description_width)
    };
    let name = paragraph(name.trim_end_matches('\r'), Style::BODY);
    match detail {
        Some(detail) => name.above(paragraph(detail, Style::SMALL)),
        None => name,
    }
}

fn no_lines(matter: &Matter<'_>) -> Block {
    let text = matter
        .set
        .paragraph("No lines yet", Style::MUTED, LEFT + INSET, 200.0);
    ruled(text.padded(ABOVE, BELOW))
}

/// A rule beneath the last strip.
fn ruled(mut block: Block) -> Block {
    if let Some(last) = block.0.last_mut() {
        last.marks.push(Mark::fill(
            Area {
                left: LEFT,
                top: last.height - 0.6,
                width: RIGHT - LEFT,
                height: 0.6,
            },
            Ink::RULE,
        ));
    }
    block
}
