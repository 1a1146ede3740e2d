//! The receipt of one payment, on one page.

use invoices::Payment;
use invoices::figures::written_date;
use kernel::Money;
use time::Date;

use crate::context::DocumentContext;
use crate::flow::{Block, Flow, PageElements};
use crate::header::{MAX_HEAD_HEIGHT, MAX_RECIPIENT_HEIGHT, PADDING, company, contact, fact};
use crate::layout::add_frame;
use crate::sheet::{Area, Element, LEFT, RIGHT, SECOND_COLUMN};
use crate::typesetter::Style;
use crate::wording::{amount_in_currency, method};

/// The width of text lines; longer lines are hard to read.
const TEXT_WIDTH: f32 = 430.0;

/// The pages of a receipt.
pub(crate) fn pages(
    context: &DocumentContext<'_>,
    payment: &Payment,
    refunded: Option<Money>,
    received_on: Date,
) -> Vec<PageElements> {
    let mut flow = Flow::new();
    flow.place(company(context).beside(facts(context, payment, received_on), MAX_HEAD_HEIGHT));
    flow.gap(17.0);
    flow.place(contact(context, "RECEIVED FROM").beside(panel(context, payment), MAX_RECIPIENT_HEIGHT));
    flow.gap(17.0);
    let (number, dated) = (&context.invoice.number, written_date(context.invoice.invoice_date));
    let total = amount_in_currency(context.invoice.totals.total);
    let text = format!("This payment was received for invoice {number} of {dated}, whose total is {total}.");
    flow.place(context.typesetter.paragraph(&text, Style::BODY, LEFT, TEXT_WIDTH));
    if let Some(refunded) = refunded {
        let text = format!(
            "Refunded {}. The invoice keeps its status and its amounts.",
            amount_in_currency(refunded)
        );
        flow.gap(8.0);
        flow.place(context.typesetter.paragraph(&text, Style::BODY, LEFT, TEXT_WIDTH));
    }
    let mut pages = flow.finish();
    add_frame(context, &format!("Receipt for invoice {number}"), &mut pages);
    pages
}

fn facts(context: &DocumentContext<'_>, payment: &Payment, received_on: Date) -> Block {
    let title = Style::STRONG.sized(27.0).colored(context.brand.text);
    let head = context.typesetter.up_to("RECEIPT", title, RIGHT, -5.0);
    let received = written_date(received_on);
    let facts = [
        ("Invoice number", Some(context.invoice.number.as_str())),
        ("Received on", Some(received.as_str())),
        ("Method", Some(method(payment.method))),
        ("Reference", payment.reference.as_ref().map(|text| text.as_str())),
    ];
    facts
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .fold(Block::strip(title.leading + 5.0, vec![head]), |block, (name, value)| {
            block.above(fact(context, name, value))
        })
}

/// The amount, on a panel of the brand's tint.
fn panel(context: &DocumentContext<'_>, payment: &Payment) -> Block {
    let left = SECOND_COLUMN + PADDING;
    let width = RIGHT - SECOND_COLUMN - PADDING * 2.0;
    let paid = amount_in_currency(payment.amount);
    let rows = context
        .typesetter
        .paragraph("AMOUNT RECEIVED", Style::HEAD, left, width)
        .above(context.typesetter.headline(&paid, Style::STRONG.sized(19.0), left, width))
        .padded(PADDING, PADDING);
    let area = Area { left: SECOND_COLUMN, top: 0.0, width: RIGHT - SECOND_COLUMN, height: rows.height() };
    rows.on(Element::Fill { area, radius: 6.0, color: context.brand.tint })
}
