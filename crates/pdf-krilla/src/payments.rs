//! The payments of an invoice, oldest first.

use invoices::Payment;

use crate::block::Block;
use crate::geometry::{FIRST_COLUMN_WIDTH, LEFT};
use crate::layout::Matter;
use crate::typesetter::Style;
use crate::wording::{amount, method, short_date};

const METHOD_LEFT: f32 = LEFT + 70.0;
const AMOUNT_RIGHT: f32 = LEFT + FIRST_COLUMN_WIDTH;
const AMOUNT_WIDTH: f32 = 96.0;

pub(crate) fn block(matter: &Matter<'_>) -> Block {
    if matter.invoice.payments.is_empty() {
        return Block::default();
    }
    let head = matter
        .set
        .paragraph("PAYMENTS", Style::HEAD, LEFT, FIRST_COLUMN_WIDTH)
        .padded(1.0, 2.5);
    matter
        .invoice
        .payments
        .iter()
        .fold(head, |block, payment| block.above(row(matter, payment)))
        .padded(0.0, 10.0)
}

/// A payment, with what the payer wrote with it beneath.
fn row(matter: &Matter<'_>, payment: &Payment) -> Block {
    let style = Style::SMALL;
    let received = short_date(payment.received_at.date());
    let paid = amount(payment.amount);
    let figures = matter.set.fitted(&paid, style.in_columns(), AMOUNT_WIDTH);
    let marks = vec![
        matter.set.at(&received, style, LEFT, 0.0),
        matter
            .set
            .at(method(payment.method), style, METHOD_LEFT, 0.0),
        matter.set.up_to(&paid, figures, AMOUNT_RIGHT, 0.0),
    ];
    let row = Block::strip(style.leading, marks);
    let width = FIRST_COLUMN_WIDTH - (METHOD_LEFT - LEFT);
    let row = match &payment.reference {
        Some(text) => {
            let reference = matter
                .set
                .paragraph(text.as_str(), style, METHOD_LEFT, width);
            row.above(reference)
        }
        None => row,
    };
    row.padded(1.0, 2.5)
}
