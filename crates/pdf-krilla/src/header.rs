//! The top of an invoice: the company, the number and the dates; below them the contact, and the amount to
//! pay, its due date and the way to pay.

use contacts::PostalAddress;
use invoices::figures::written_date;
use invoices::{InvoiceStatus, InvoicedContact};

use crate::color::{self, Color};
use crate::context::DocumentContext;
use crate::flow::Block;
use crate::sheet::{Area, Element, FIRST_COLUMN_WIDTH, LEFT, RIGHT, SECOND_COLUMN};
use crate::typesetter::Style;
use crate::wording::amount_in_currency;

/// The size limit of logos, in points; larger ones are scaled down.
const LOGO_WIDTH: f32 = 170.0;
const LOGO_HEIGHT: f32 = 46.0;
/// The width of the names of facts in the right-hand column.
const NAMES_WIDTH: f32 = 84.0;
/// The greatest height of blocks side by side; higher ones, with long addresses, are placed one below the
/// other.
pub(crate) const MAX_HEAD_HEIGHT: f32 = 420.0;

pub(crate) fn header(context: &DocumentContext<'_>) -> Block {
    company(context).beside(facts(context), MAX_HEAD_HEIGHT)
}

pub(crate) fn company(context: &DocumentContext<'_>) -> Block {
    let letterhead = context.letterhead;
    let paragraph = |text: &str, style| context.typesetter.paragraph(text, style, LEFT, FIRST_COLUMN_WIDTH);
    // Without a logo the name is larger.
    let mut block = match context.logo {
        Some(size) => logo(size).above(paragraph(&letterhead.company_name, Style::STRONG.sized(11.0))),
        None => paragraph(&letterhead.company_name, Style::STRONG.sized(16.0)),
    };
    block = block.above(Block::gap(3.0));
    let abn = letterhead.abn.as_ref().map(|abn| format!("ABN {abn}"));
    let lines = letterhead.address_lines.iter().chain(&letterhead.email).chain(&letterhead.phone).chain(&abn);
    for line in lines.filter(|line| !line.trim().is_empty()) {
        block = block.above(paragraph(line, Style::MUTED));
    }
    block
}

fn logo((width, height): (f32, f32)) -> Block {
    let scale = (LOGO_WIDTH / width).min(LOGO_HEIGHT / height);
    let area = Area { left: LEFT, top: 0.0, width: width * scale, height: height * scale };
    Block::strip(area.height + 12.0, vec![Element::Logo(area)])
}

fn facts(context: &DocumentContext<'_>) -> Block {
    let invoice = context.invoice;
    let title = Style::STRONG.sized(27.0).colored(context.brand.text);
    let mut block =
        Block::strip(title.leading + 5.0, vec![context.typesetter.up_to("INVOICE", title, RIGHT, -5.0)]);
    let number = invoice.number.to_string();
    let [dated, due] = [invoice.invoice_date, invoice.due_date].map(written_date);
    let facts = [
        ("Invoice number", Some(number.as_str())),
        ("Invoice date", Some(dated.as_str())),
        ("Due date", Some(due.as_str())),
        ("Reference", invoice.texts.reference.as_ref().map(|text| text.as_str())),
        ("Prepared by", invoice.texts.staff.as_ref().map(|text| text.as_str())),
    ];
    for (name, value) in facts {
        if let Some(value) = value {
            block = block.above(fact(context, name, value));
        }
    }
    block
}

/// A name and its value in the right-hand column.
pub(crate) fn fact(context: &DocumentContext<'_>, name: &str, value: &str) -> Block {
    let width = RIGHT - SECOND_COLUMN - NAMES_WIDTH;
    let mut row = context.typesetter.ranged_right(value, Style::STRONG, RIGHT, width);
    row.push_first(context.typesetter.at(name, Style::MUTED, SECOND_COLUMN, 0.0));
    row.padded(0.0, 2.5)
}

pub(crate) const PADDING: f32 = 14.0;
const BUTTON_HEIGHT: f32 = 22.0;
pub(crate) const MAX_RECIPIENT_HEIGHT: f32 = 300.0;

pub(crate) fn recipient(context: &DocumentContext<'_>) -> Block {
    contact(context, "BILL TO").beside(panel(context), MAX_RECIPIENT_HEIGHT)
}

/// The contact, under a heading.
pub(crate) fn contact(context: &DocumentContext<'_>, head: &str) -> Block {
    let paragraph = |text: &str, style| context.typesetter.paragraph(text, style, LEFT, FIRST_COLUMN_WIDTH);
    let head = paragraph(head, Style::HEAD).padded(0.0, 4.0);
    let Some(contact) = &context.invoice.contact else {
        return head.above(paragraph("No contact yet", Style::MUTED));
    };
    let name = paragraph(contact.name.as_str(), Style::STRONG.sized(11.0)).padded(0.0, 1.0);
    lines(contact).iter().fold(head.above(name), |block, line| block.above(paragraph(line, Style::MUTED)))
}

/// The lines below a contact's name.
fn lines(contact: &InvoicedContact) -> Vec<String> {
    let mut lines = contact.address.as_ref().map(address).unwrap_or_default();
    lines.extend(contact.email.as_ref().map(ToString::to_string));
    lines.extend(contact.phone.as_ref().map(ToString::to_string));
    lines
}

/// An address as on an envelope, with city, state and postal code on one line.
fn address(address: &PostalAddress) -> Vec<String> {
    let place = [&address.city, &address.state, &address.postal_code];
    let place: Vec<&str> = place.into_iter().flatten().map(|part| part.as_str()).collect();
    let [line1, line2, country] =
        [&address.line1, &address.line2, &address.country].map(|part| part.as_ref().map(ToString::to_string));
    let place = Some(place.join(" ")).filter(|place| !place.is_empty());
    [line1, line2, place, country].into_iter().flatten().collect()
}

/// The amount to pay, on a panel of the brand's tint.
fn panel(context: &DocumentContext<'_>) -> Block {
    let left = SECOND_COLUMN + PADDING;
    let width = RIGHT - SECOND_COLUMN - PADDING * 2.0;
    let (name, detail, color) = status_panel(context);
    let due = match context.invoice.status {
        InvoiceStatus::Draft => context.invoice.totals.total,
        _ => context.invoice.amount_due(),
    };
    let due = amount_in_currency(due);
    let mut rows = context
        .typesetter
        .paragraph(name, Style::HEAD, left, width)
        .above(context.typesetter.headline(&due, Style::STRONG.sized(19.0), left, width))
        .padded(PADDING, 0.0);
    let mut elements = vec![context.typesetter.at(&detail, Style::BODY.colored(color), left, 4.5)];
    let mut height = 18.0;
    if context.is_payable() {
        elements.extend(button(context));
        height = BUTTON_HEIGHT;
    }
    rows = rows.above(Block::gap(3.0)).above(Block::strip(height, elements)).padded(0.0, PADDING);
    let area = Area { left: SECOND_COLUMN, top: 0.0, width: RIGHT - SECOND_COLUMN, height: rows.height() };
    let panel = Element::Fill { area, radius: 6.0, color: context.brand.tint };
    rows.on(panel)
}

/// The panel's label, the text below the amount, and its colour.
fn status_panel(context: &DocumentContext<'_>) -> (&'static str, String, Color) {
    match context.invoice.status {
        InvoiceStatus::Draft => ("TOTAL", "Draft, not issued yet".to_owned(), color::MUTED),
        InvoiceStatus::Cancelled => ("AMOUNT DUE", "Cancelled, nothing to pay".to_owned(), color::RED),
        InvoiceStatus::Paid => ("AMOUNT DUE", "Paid in full".to_owned(), color::GREEN),
        InvoiceStatus::Scheduled
        | InvoiceStatus::Unpaid
        | InvoiceStatus::Overdue
        | InvoiceStatus::PartiallyPaid => {
            ("AMOUNT DUE", format!("Due {}", written_date(context.invoice.due_date)), color::TEXT)
        }
    }
}

/// The link to the payment page, at the right of its strip.
fn button(context: &DocumentContext<'_>) -> Vec<Element> {
    let style = Style::STRONG.colored(context.brand.on_fill);
    let run = context.typesetter.run(context.way_to_pay.link_label(), style);
    let width = run.width * style.size + 22.0;
    let area = Area { left: RIGHT - PADDING - width, top: 0.0, width, height: BUTTON_HEIGHT };
    vec![
        Element::Fill { area, radius: 4.0, color: context.brand.fill },
        style.element(run, area.left + 11.0, (BUTTON_HEIGHT - style.leading) / 2.0),
        Element::Link(area),
    ]
}
