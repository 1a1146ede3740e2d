//! The payments of an invoice, oldest first, and the address of its payment page.

use invoices::Payment;

use crate::block::Block;
use crate::context::DocumentContext;
use crate::element::Element;
use crate::geometry::{Area, FIRST_COLUMN_WIDTH, LEFT};
use crate::typesetter::Style;
use crate::wording::{amount, method, short_date};

const METHOD_LEFT: f32 = LEFT + 70.0;
const AMOUNT_RIGHT: f32 = LEFT + FIRST_COLUMN_WIDTH;
const AMOUNT_WIDTH: f32 = 96.0;

pub(crate) fn block(context: &DocumentContext<'_>) -> Block {
    if context.invoice.payments.is_empty() {
        return Block::default();
    }
    let head =
        context.typesetter.paragraph("PAYMENTS", Style::HEAD, LEFT, FIRST_COLUMN_WIDTH).padded(1.0, 2.5);
    context
        .invoice
        .payments
        .iter()
        .fold(head, |block, payment| block.above(row(context, payment)))
        .padded(0.0, 10.0)
}

/// A payment, with what the payer wrote with it beneath.
fn row(context: &DocumentContext<'_>, payment: &Payment) -> Block {
    let style = Style::SMALL;
    let received = short_date(payment.received_at.date());
    let paid = amount(payment.amount);
    let figures = context.typesetter.fitted(&paid, style.in_columns(), AMOUNT_WIDTH);
    let elements = vec![
        context.typesetter.at(&received, style, LEFT, 0.0),
        context.typesetter.at(method(payment.method), style, METHOD_LEFT, 0.0),
        context.typesetter.up_to(&paid, figures, AMOUNT_RIGHT, 0.0),
    ];
    let row = Block::strip(style.leading, elements);
    let width = FIRST_COLUMN_WIDTH - (METHOD_LEFT - LEFT);
    let row = match &payment.reference {
        Some(text) => {
            let reference = context.typesetter.paragraph(text.as_str(), style, METHOD_LEFT, width);
            row.above(reference)
        }
        None => row,
    };
    row.padded(1.0, 2.5)
}

/// The address of the payment page, for readers on paper.
pub(crate) fn pay_online(context: &DocumentContext<'_>) -> Block {
    if !context.is_payable() {
        return Block::default();
    }
    let head = context.typesetter.paragraph("PAY ONLINE", Style::HEAD, LEFT, FIRST_COLUMN_WIDTH);
    head.padded(0.0, 2.0).above(address(context))
}

/// The address, every line of which leads there.
fn address(context: &DocumentContext<'_>) -> Block {
    let style = Style::SMALL.colored(context.brand.text);
    let mut block = context.typesetter.paragraph(context.pay_url, style, LEFT, FIRST_COLUMN_WIDTH);
    for strip in &mut block.0 {
        let links: Vec<Element> = strip
            .elements
            .iter()
            .filter_map(|element| match element {
                Element::Text { run, size, .. } => Some(Element::Link(Area {
                    left: LEFT,
                    top: 0.0,
                    width: run.width * size,
                    height: strip.height,
                })),
                _ => None,
            })
            .collect();
        strip.elements.extend(links);
    }
    block
}
