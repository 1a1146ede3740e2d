//! The table of line items, with its head repeated on every page. Each column is as wide as its widest
//! figure.

use invoices::{Invoice, LineAmountTypes, LineItem};

use crate::color;
use crate::context::DocumentContext;
use crate::flow::{Block, Flow, Strip};
use crate::run::Run;
use crate::sheet::{Area, Element, LEFT, RIGHT};
use crate::typesetter::{Style, Typesetter};
use crate::wording;

const HEAD_HEIGHT: f32 = 22.0;
const ABOVE: f32 = 3.4;
const BELOW: f32 = 3.8;

pub(crate) fn flow(context: &DocumentContext<'_>, flow: &mut Flow) {
    let columns = TableColumns::of(context);
    let lines = context.invoice.lines.iter().zip(&columns.rows);
    let rows: Vec<Block> = lines.map(|(line, cells)| row(context, &columns, line, cells)).collect();
    // The table's head must not be the last thing on a page.
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

fn head(context: &DocumentContext<'_>, columns: &TableColumns) -> Strip {
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

fn row(context: &DocumentContext<'_>, columns: &TableColumns, line: &LineItem, cells: &Cells) -> Block {
    let style = Style::FIGURES;
    let place = |(run, right): (&Run, &f32)| style.element(run.clone(), right - run.width * style.size, 0.0);
    let figures = cells.iter().zip(&columns.rights).map(place);
    let mut block = description(context, columns, line.description.as_str());
    if columns.stacked {
        block = block.above(Block::strip(style.leading, figures.collect()));
    } else {
        figures.for_each(|figure| block.push_first(figure));
    }
    ruled(block.padded(ABOVE, BELOW))
}

/// The description: its first line as the name, the following lines as details.
fn description(context: &DocumentContext<'_>, columns: &TableColumns, text: &str) -> Block {
    let left = LEFT + INSET;
    let width = columns.description_width;
    let paragraph = |text: &str, style| context.typesetter.paragraph(text, style, left, width);
    let name = |text: &str| paragraph(text.trim_end_matches('\r'), Style::BODY);
    match text.split_once('\n') {
        Some((first, detail)) => name(first).above(paragraph(detail, Style::SMALL)),
        None => name(text),
    }
}

fn no_lines(context: &DocumentContext<'_>) -> Block {
    let text = context.typesetter.paragraph("No lines yet", Style::MUTED, LEFT + INSET, 200.0);
    ruled(text.padded(ABOVE, BELOW))
}

/// Adds a rule below the last strip.
fn ruled(mut block: Block) -> Block {
    if let Some(last) = block.0.last_mut() {
        last.elements.push(Element::fill(
            Area { left: LEFT, top: last.height - 0.6, width: RIGHT - LEFT, height: 0.6 },
            color::RULE,
        ));
    }
    block
}

/// The space between the table's edge and its text.
const INSET: f32 = 9.0;
/// The space between two columns.
const GAP: f32 = 16.0;
/// A narrower column of descriptions would be unreadable.
const LEAST_DESCRIPTION: f32 = 130.0;

/// The figures of one line item, one cell for each column.
type Cells = Vec<Run>;

/// The positions of the columns.
struct TableColumns {
    /// The headings of the columns of figures.
    heads: Vec<String>,
    /// The right edges of the columns of figures.
    rights: Vec<f32>,
    /// The width of the column of descriptions.
    description_width: f32,
    /// Whether figures are placed below the descriptions, because very long figures leave no room beside
    /// them.
    stacked: bool,
    /// The figures of each line item.
    rows: Vec<Cells>,
}

impl TableColumns {
    fn of(context: &DocumentContext<'_>) -> Self {
        let (set, invoice) = (context.typesetter, context.invoice);
        let heads = heads(invoice);
        let rows: Vec<Cells> = invoice.lines.iter().map(|line| cells(set, invoice, line)).collect();
        let widths = heads.iter().enumerate().map(|(column, head)| {
            let head = set.run(head, Style::HEAD).width * Style::HEAD.size;
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.width * Style::FIGURES.size).fold(head, f32::max)
        });
        let mut right = RIGHT - INSET;
        let mut rights = Vec::new();
        for width in widths.collect::<Vec<_>>().into_iter().rev() {
            rights.push(right);
            right -= width + GAP;
        }
        rights.reverse();
        let beside = right - LEFT - INSET;
        let stacked = beside < LEAST_DESCRIPTION;
        Self {
            heads,
            rights,
            description_width: if stacked { RIGHT - LEFT - INSET * 2.0 } else { beside },
            stacked,
            rows,
        }
    }
}

fn has_tax(invoice: &Invoice) -> bool {
    invoice.line_amount_types != LineAmountTypes::NoTax
}

fn heads(invoice: &Invoice) -> Vec<String> {
    let tax = has_tax(invoice).then(|| "Tax".to_owned());
    let amount = format!("Amount ({})", invoice.currency);
    ["Quantity".to_owned(), "Unit price".to_owned()].into_iter().chain(tax).chain([amount]).collect()
}

fn cells(set: &Typesetter, invoice: &Invoice, line: &LineItem) -> Cells {
    let price = wording::unit_price(line.unit_amount, invoice.currency);
    let tax = has_tax(invoice).then(|| wording::percent(line.tax_rate));
    let amount = wording::amount(line.line_amount);
    let texts = [wording::quantity(line.quantity), price].into_iter().chain(tax).chain([amount]);
    texts.map(|text| set.run(&text, Style::FIGURES)).collect()
}
