//! The taxes of an invoice, rate by rate.

use std::collections::BTreeMap;

use invoices::{Invoice, LineAmountTypes};
use kernel::{Decimal, Money};

use crate::block::Block;
use crate::context::DocumentContext;
use crate::geometry::{FIRST_COLUMN_WIDTH, LEFT};
use crate::typesetter::Style;
use crate::wording::{amount, percent};

const TAXABLE_RIGHT: f32 = LEFT + 152.0;
const TAX_RIGHT: f32 = LEFT + FIRST_COLUMN_WIDTH;
const CELL_WIDTH: f32 = 88.0;

/// What is taxed at one rate, without its tax, and the tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Taxed {
    taxable: Money,
    tax: Money,
}

pub(crate) fn block(context: &DocumentContext<'_>) -> Block {
    let invoice = context.invoice;
    if invoice.line_amount_types == LineAmountTypes::NoTax || invoice.lines.is_empty() {
        return Block::default();
    }
    let head = row(context, Style::HEAD, ["TAX SUMMARY", "Taxable", "Tax"]);
    let block = by_rate(invoice).iter().fold(head, |block, (rate, taxed)| {
        let texts = [percent(*rate), amount(taxed.taxable), amount(taxed.tax)];
        block.above(row(context, Style::SMALL, texts.each_ref().map(String::as_str)))
    });
    let what = match invoice.line_amount_types {
        LineAmountTypes::Inclusive => "Line amounts include tax.",
        _ => "Line amounts do not include tax.",
    };
    let note = context.typesetter.paragraph(what, Style::SMALL, LEFT, FIRST_COLUMN_WIDTH);
    block.above(note.padded(1.0, 10.0))
}

fn row(context: &DocumentContext<'_>, style: Style, [rate, taxable, tax]: [&str; 3]) -> Block {
    let figure = |text, right| {
        let style = context.typesetter.fitted(text, style.in_columns(), CELL_WIDTH);
        context.typesetter.up_to(text, style, right, 0.0)
    };
    let elements = vec![
        context.typesetter.at(rate, style, LEFT, 0.0),
        figure(taxable, TAXABLE_RIGHT),
        figure(tax, TAX_RIGHT),
    ];
    Block::strip(style.leading, elements).padded(1.0, 2.5)
}

/// The lines summed up by their rate, the lowest first.
fn by_rate(invoice: &Invoice) -> BTreeMap<Decimal, Taxed> {
    let nothing = Taxed { taxable: Money::zero(invoice.currency), tax: Money::zero(invoice.currency) };
    let mut rates = BTreeMap::new();
    for line in &invoice.lines {
        let without_tax = match invoice.line_amount_types {
            LineAmountTypes::Inclusive => line.line_amount.checked_sub(line.tax_amount),
            LineAmountTypes::Exclusive | LineAmountTypes::NoTax => Some(line.line_amount),
        };
        let taxed: &mut Taxed = rates.entry(line.tax_rate).or_insert(nothing);
        // Sums of 500 amounts that an invoice can carry are far from the end of 64 bits, and all are of its
        // currency.
        let taxable = without_tax.and_then(|amount| taxed.taxable.checked_add(amount));
        taxed.taxable = taxable.unwrap_or(taxed.taxable);
        taxed.tax = taxed.tax.checked_add(line.tax_amount).unwrap_or(taxed.tax);
    }
    rates
}
