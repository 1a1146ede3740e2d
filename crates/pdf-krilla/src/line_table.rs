//! The table of lines, with its head on every page.

use invoices::LineItem;

use crate::block::{Block, Strip};
use crate::color::Color;
use crate::columns::{Cells, Columns, INSET};
use crate::context::DocumentContext;
use crate::element::Element;
use crate::flow::Flow;
use crate::geometry::{Area, LEFT, RIGHT};
use crate::typesetter::Style;

const HEAD_HEIGHT: f32 = 22.0;
const ABOVE: f32 = 3.4;
const BELOW: f32 = 3.8;

pub(crate) fn flow(context: &DocumentContext<'_>, flow: &mut Flow) {
    let columns = Columns::of(context);
    let rows: Vec<Block> = context
        .invoice
        .lines
        .iter()
        .zip(&columns.rows)
        .map(|(line, cells)| row(context, &columns, line, cells))
        .collect();
    // A head with nothing beneath it at the foot of a page helps nobody.
    let first = rows.first().map_or(0.0, |row| row.height().min(80.0));
    if flow.room() < HEAD_HEIGHT + first {
        flow.turn();
    }
    flow.run_head(head(context, &columns));
    if rows.is_empty() {
        flow.place(no_lines(context));
    }
    for row in rows {
        flow.place(row);
    }
    flow.drop_head();
}

fn head(context: &DocumentContext<'_>, columns: &Columns) -> Strip {
    let style = Style::HEAD.colored(context.brand.on_fill);
    let top = (HEAD_HEIGHT - style.leading) / 2.0;
    let area = Area { left: LEFT, top: 0.0, width: RIGHT - LEFT, height: HEAD_HEIGHT };
    let mut elements = vec![
        Element::Fill { area, radius: 4.0, color: context.brand.fill },
        context.typesetter.at("Description", style, LEFT + INSET, top),
    ];
    for (text, right) in columns.heads.iter().zip(&columns.rights) {
        elements.push(context.typesetter.up_to(text, style, *right, top));
    }
    Strip { height: HEAD_HEIGHT + 2.0, elements }
}

fn row(context: &DocumentContext<'_>, columns: &Columns, line: &LineItem, cells: &Cells) -> Block {
    let style = Style::FIGURES;
    let figures = cells.iter().zip(&columns.rights).map(|(run, right)| {
        let left = right - run.width * style.size;
        style.element(run.clone(), left, 0.0)
    });
    let mut block = description(context, columns, line.description.as_str());
    if columns.stacked {
        let figures = Block::strip(style.leading, figures.collect());
        block = block.above(figures);
    } else {
        figures.for_each(|figure| block.push_first(figure));
    }
    ruled(block.padded(ABOVE, BELOW))
}

/// The description: its first line of text as the name of the thing, what the caller wrote beneath as its
/// detail.
fn description(context: &DocumentContext<'_>, columns: &Columns, text: &str) -> Block {
    let left = LEFT + INSET;
    let (name, detail) = match text.split_once('\n') {
        Some((name, detail)) => (name, Some(detail)),
        None => (text, None),
    };
    let paragraph = |text, style| context.typesetter.paragraph(text, style, left, columns.description_width);
    let name = paragraph(name.trim_end_matches('\r'), Style::BODY);
    match detail {
        Some(detail) => name.above(paragraph(detail, Style::SMALL)),
        None => name,
    }
}

fn no_lines(context: &DocumentContext<'_>) -> Block {
    let text = context.typesetter.paragraph("No lines yet", Style::MUTED, LEFT + INSET, 200.0);
    ruled(text.padded(ABOVE, BELOW))
}

/// A rule beneath the last strip.
fn ruled(mut block: Block) -> Block {
    if let Some(last) = block.0.last_mut() {
        last.elements.push(Element::fill(
            Area { left: LEFT, top: last.height - 0.6, width: RIGHT - LEFT, height: 0.6 },
            Color::RULE,
        ));
    }
    block
}
