//! The end of an invoice: taxes, payments and the way to pay on the left, what it all comes to on the right.

use invoices::{LineAmountTypes, Status};
use kernel::Money;

use crate::block::Block;
use crate::geometry::{Area, RIGHT, SECOND_COLUMN};
use crate::ink::Ink;
use crate::layout::Matter;
use crate::mark::Mark;
use crate::pay_online;
use crate::payments;
use crate::tax_summary;
use crate::typesetter::Style;
use crate::wording::{amount, amount_in_currency};

const INSET: f32 = 10.0;
const MOST_HEIGHT: f32 = 400.0;

pub(crate) fn block(matter: &Matter<'_>) -> Block {
    tax_summary::block(matter)
        .above(payments::block(matter))
        .above(pay_online::block(matter))
        .beside(totals(matter), MOST_HEIGHT)
}

fn totals(matter: &Matter<'_>) -> Block {
    let invoice = matter.invoice;
    let totals = invoice.totals;
    let mut block = row(matter, "Sub total", &amount(totals.sub_total), Style::BODY);
    if invoice.line_amount_types != LineAmountTypes::NoTax {
        let tax = amount(totals.tax_total);
        block = block.above(row(matter, "Tax total", &tax, Style::BODY));
    }
    let total = amount_in_currency(totals.total);
    block = block
        .above(rule())
        .above(row(matter, "Total", &total, Style::STRONG));
    // A draft has nothing paid and nothing due: its total is all there is to say.
    if invoice.status != Status::Draft {
        block = block
            .above(row(
                matter,
                "Amount paid",
                &paid(invoice.amount_paid),
                Style::BODY,
            ))
            .above(due(matter));
    }
    block
}

/// What was paid is taken off.
fn paid(paid: Money) -> String {
    if paid.is_zero() {
        amount(paid)
    } else {
        format!("−{}", amount(paid))
    }
}

fn row(matter: &Matter<'_>, name: &str, value: &str, style: Style) -> Block {
    let name_ink = if style.ink == Ink::TEXT && style.cut == Style::BODY.cut {
        Ink::MUTED
    } else {
        style.ink
    };
    let left = SECOND_COLUMN + INSET;
    let width = RIGHT - left - INSET - 74.0;
    let value_style = matter.set.fitted(value, style.in_columns(), width);
    let marks = vec![
        matter.set.at(name, style.inked(name_ink), left, 0.0),
        matter.set.up_to(value, value_style, RIGHT - INSET, 0.0),
    ];
    Block::strip(style.leading, marks).padded(2.0, 2.0)
}

fn rule() -> Block {
    let area = Area {
        left: SECOND_COLUMN,
        top: 2.0,
        width: RIGHT - SECOND_COLUMN,
        height: 0.6,
    };
    Block::strip(4.6, vec![Mark::fill(area, Ink::RULE)])
}

/// The last word, on the brand's ground.
fn due(matter: &Matter<'_>) -> Block {
    let value = amount_in_currency(matter.invoice.amount_due());
    let style = Style::STRONG.sized(11.0);
    let row = row(matter, "Amount due", &value, style).padded(6.0, 6.0);
    let area = Area {
        left: SECOND_COLUMN,
        top: 4.0,
        width: RIGHT - SECOND_COLUMN,
        height: row.height(),
    };
    let ground = Mark::Fill {
        area,
        radius: 4.0,
        ink: matter.brand.tint,
    };
    row.padded(4.0, 0.0).on(vec![ground])
}
