//! Below the line items: taxes, payments and the payment page on the left, the totals on the right; then the
//! notes.

use invoices::{LineAmountTypes, Status};
use kernel::Money;

use crate::block::Block;
use crate::color::Color;
use crate::context::DocumentContext;
use crate::element::Element;
use crate::flow::Flow;
use crate::geometry::{Area, LEFT, RIGHT, SECOND_COLUMN};
use crate::payments;
use crate::tax_summary;
use crate::typesetter::Style;
use crate::wording::{amount, amount_in_currency};

const INSET: f32 = 10.0;
const MOST_HEIGHT: f32 = 400.0;

/// Longer lines are hard to read.
const NOTES_WIDTH: f32 = 430.0;

pub(crate) fn block(context: &DocumentContext<'_>) -> Block {
    tax_summary::block(context)
        .above(payments::block(context))
        .above(payments::pay_online(context))
        .beside(totals(context), MOST_HEIGHT)
}

fn totals(context: &DocumentContext<'_>) -> Block {
    let invoice = context.invoice;
    let totals = invoice.totals;
    let mut block = row(context, "Sub total", &amount(totals.sub_total), Style::BODY);
    if invoice.line_amount_types != LineAmountTypes::NoTax {
        let tax = amount(totals.tax_total);
        block = block.above(row(context, "Tax total", &tax, Style::BODY));
    }
    let total = amount_in_currency(totals.total);
    block = block.above(rule()).above(row(context, "Total", &total, Style::STRONG));
    // A draft has nothing paid and nothing due: its total is all there is to say.
    if invoice.status != Status::Draft {
        block = block
            .above(row(context, "Amount paid", &paid(invoice.amount_paid), Style::BODY))
            .above(due(context));
    }
    block
}

/// What was paid is taken off.
fn paid(paid: Money) -> String {
    if paid.is_zero() { amount(paid) } else { format!("−{}", amount(paid)) }
}

fn row(context: &DocumentContext<'_>, name: &str, value: &str, style: Style) -> Block {
    let name_color =
        if style.color == Color::TEXT && style.cut == Style::BODY.cut { Color::MUTED } else { style.color };
    let left = SECOND_COLUMN + INSET;
    let width = RIGHT - left - INSET - 74.0;
    let value_style = context.typesetter.fitted(value, style.in_columns(), width);
    let elements = vec![
        context.typesetter.at(name, style.colored(name_color), left, 0.0),
        context.typesetter.up_to(value, value_style, RIGHT - INSET, 0.0),
    ];
    Block::strip(style.leading, elements).padded(2.0, 2.0)
}

fn rule() -> Block {
    let area = Area { left: SECOND_COLUMN, top: 2.0, width: RIGHT - SECOND_COLUMN, height: 0.6 };
    Block::strip(4.6, vec![Element::fill(area, Color::RULE)])
}

/// The last word, on the brand's ground.
fn due(context: &DocumentContext<'_>) -> Block {
    let value = amount_in_currency(context.invoice.amount_due());
    let style = Style::STRONG.sized(11.0);
    let row = row(context, "Amount due", &value, style).padded(6.0, 6.0);
    let area = Area { left: SECOND_COLUMN, top: 4.0, width: RIGHT - SECOND_COLUMN, height: row.height() };
    let ground = Element::Fill { area, radius: 4.0, color: context.brand.tint };
    row.padded(4.0, 0.0).on(vec![ground])
}

/// The notes of the account to its contact.
pub(crate) fn notes(context: &DocumentContext<'_>, flow: &mut Flow) {
    if let Some(notes) = &context.invoice.texts.notes {
        // The head is in the strip of the first line, so that no page break parts them.
        let text = context.typesetter.paragraph(notes.as_str(), Style::BODY, LEFT, NOTES_WIDTH);
        let mut block = text.padded(Style::HEAD.leading + 3.0, 0.0);
        block.push_first(context.typesetter.at("NOTES", Style::HEAD, LEFT, 0.0));
        flow.gap(16.0);
        flow.place(block);
    }
}
