//! The columns of the line table, as wide as their widest figure.

use invoices::{Invoice, LineAmountTypes, LineItem};

use crate::context::DocumentContext;
use crate::geometry::{LEFT, RIGHT};
use crate::run::Run;
use crate::typesetter::{Style, Typesetter};
use crate::wording;

/// Between the table's edge and its text.
pub(crate) const INSET: f32 = 9.0;
/// Between two columns.
const GAP: f32 = 16.0;
/// A column of descriptions narrower than this cannot be read.
const LEAST_DESCRIPTION: f32 = 130.0;

/// The figures of one line, a cell for each column.
pub(crate) type Cells = Vec<Run>;

/// Where the columns stand.
pub(crate) struct Columns {
    /// The heads of the columns of figures.
    pub(crate) heads: Vec<String>,
    /// The right edges of the columns of figures.
    pub(crate) rights: Vec<f32>,
    /// The width of the column of descriptions.
    pub(crate) description_width: f32,
    /// Whether figures stand beneath descriptions instead of beside them: astronomic ones leave no room
    /// there.
    pub(crate) stacked: bool,
    /// The figures, line by line.
    pub(crate) rows: Vec<Cells>,
}

impl Columns {
    pub(crate) fn of(context: &DocumentContext<'_>) -> Self {
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
    let mut heads = vec!["Quantity".to_owned(), "Unit price".to_owned()];
    if has_tax(invoice) {
        heads.push("Tax".to_owned());
    }
    heads.push(format!("Amount ({})", invoice.currency));
    heads
}

fn cells(set: &Typesetter, invoice: &Invoice, line: &LineItem) -> Cells {
    let mut texts =
        vec![wording::quantity(line.quantity), wording::unit_price(line.unit_amount, invoice.currency)];
    if has_tax(invoice) {
        texts.push(wording::percent(line.tax_rate));
    }
    texts.push(wording::amount(line.line_amount));
    texts.iter().map(|text| set.run(text, Style::FIGURES)).collect()
}
