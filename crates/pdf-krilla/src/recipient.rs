//! Who is to pay, and beside it what, until when and how.

use contacts::Address;
use invoices::{InvoicedContact, Status};

use crate::block::Block;
use crate::color::Color;
use crate::context::DocumentContext;
use crate::element::Element;
use crate::geometry::{Area, FIRST_COLUMN_WIDTH, LEFT, RIGHT, SECOND_COLUMN};
use crate::typesetter::Style;
use crate::wording::{amount_in_currency, date};

const PADDING: f32 = 14.0;
const BUTTON_HEIGHT: f32 = 22.0;
const MOST_HEIGHT: f32 = 300.0;

pub(crate) fn block(context: &DocumentContext<'_>) -> Block {
    contact(context).beside(panel(context), MOST_HEIGHT)
}

fn contact(context: &DocumentContext<'_>) -> Block {
    let paragraph = |text: &str, style| context.typesetter.paragraph(text, style, LEFT, FIRST_COLUMN_WIDTH);
    let head = paragraph("BILL TO", Style::HEAD).padded(0.0, 4.0);
    let Some(contact) = &context.invoice.contact else {
        return head.above(paragraph("No contact yet", Style::MUTED));
    };
    let name = paragraph(contact.name.as_str(), Style::STRONG.sized(11.0)).padded(0.0, 1.0);
    lines(contact).iter().fold(head.above(name), |block, line| block.above(paragraph(line, Style::MUTED)))
}

/// The lines beneath a contact's name.
fn lines(contact: &InvoicedContact) -> Vec<String> {
    let mut lines = contact.address.as_ref().map(address).unwrap_or_default();
    lines.extend(contact.email.as_ref().map(|email| email.as_str().to_owned()));
    lines.extend(contact.phone.as_ref().map(|phone| phone.as_str().to_owned()));
    lines
}

/// An address as it stands on an envelope, with city, state and postal code on one line.
fn address(address: &Address) -> Vec<String> {
    let place: Vec<&str> = [&address.city, &address.state, &address.postal_code]
        .into_iter()
        .flatten()
        .map(|part| part.as_str())
        .collect();
    let of = |part: &Option<kernel::SingleLine<200>>| part.as_ref().map(|part| part.as_str().to_owned());
    [
        of(&address.line1),
        of(&address.line2),
        Some(place.join(" ")).filter(|place| !place.is_empty()),
        of(&address.country),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What there is to pay, on a tinted ground.
fn panel(context: &DocumentContext<'_>) -> Block {
    let left = SECOND_COLUMN + PADDING;
    let width = RIGHT - SECOND_COLUMN - PADDING * 2.0;
    let (name, detail, color) = standing(context);
    let due = match context.invoice.status {
        Status::Draft => context.invoice.totals.total,
        _ => context.invoice.amount_due(),
    };
    let due = amount_in_currency(due);
    let large = Style::STRONG.sized(19.0);
    let fitting = context.typesetter.fitted(&due, large, width);
    let mut rows = context
        .typesetter
        .paragraph(name, Style::HEAD, left, width)
        .above(context.typesetter.paragraph(&due, fitting, left, width))
        .padded(PADDING, 0.0);
    let detail = context.typesetter.at(&detail, Style::BODY.colored(color), left, 4.5);
    let mut elements = vec![detail];
    let mut height = 18.0;
    if context.is_payable() {
        elements.extend(button(context));
        height = BUTTON_HEIGHT;
    }
    rows = rows.above(Block::gap(3.0)).above(Block::strip(height, elements)).padded(0.0, PADDING);
    let area = Area { left: SECOND_COLUMN, top: 0.0, width: RIGHT - SECOND_COLUMN, height: rows.height() };
    let ground = Element::Fill { area, radius: 6.0, color: context.brand.tint };
    rows.on(vec![ground])
}

/// How the panel names its amount, and what it says beneath.
fn standing(context: &DocumentContext<'_>) -> (&'static str, String, Color) {
    let due = date(context.invoice.due_date);
    match context.invoice.status {
        Status::Draft => ("TOTAL", "Draft, not issued yet".to_owned(), Color::MUTED),
        Status::Cancelled => ("AMOUNT DUE", "Cancelled, nothing to pay".to_owned(), Color::RED),
        Status::Paid => ("AMOUNT DUE", "Paid in full".to_owned(), Color::GREEN),
        Status::Scheduled | Status::Unpaid | Status::Overdue | Status::PartiallyPaid => {
            ("AMOUNT DUE", format!("Due {due}"), Color::TEXT)
        }
    }
}

/// The way to the payment page, at the right of its strip.
fn button(context: &DocumentContext<'_>) -> Vec<Element> {
    let style = Style::STRONG.colored(context.brand.on_fill);
    let run = context.typesetter.run("Pay online", style);
    let width = run.width * style.size + 22.0;
    let area = Area { left: RIGHT - PADDING - width, top: 0.0, width, height: BUTTON_HEIGHT };
    vec![
        Element::Fill { area, radius: 4.0, color: context.brand.fill },
        style.element(run, area.left + 11.0, (BUTTON_HEIGHT - style.leading) / 2.0),
        Element::Link(area),
    ]
}
