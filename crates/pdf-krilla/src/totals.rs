//! The part below the line items: taxes, payments and the payment page on the left, the totals on the right;
//! then the notes.

use std::collections::BTreeMap;

use invoices::{Invoice, InvoiceStatus, LineAmountTypes, Payment};
use kernel::{Decimal, Money};

use crate::color;
use crate::context::DocumentContext;
use crate::flow::{Block, Flow};
use crate::sheet::{Area, Element, FIRST_COLUMN_WIDTH, LEFT, RIGHT, SECOND_COLUMN};
use crate::transfer;
use crate::typesetter::Style;
use crate::wording::{amount, amount_in_currency, method, percent, short_date};

const INSET: f32 = 10.0;
const MAX_HEIGHT: f32 = 400.0;

/// Column edges of the tax summary and of the payments.
const FIRST_COLUMN_RIGHT: f32 = LEFT + FIRST_COLUMN_WIDTH;
const TAXABLE_RIGHT: f32 = LEFT + 152.0;
const METHOD_LEFT: f32 = LEFT + 70.0;
/// The maximum widths of the figures there; wider ones get a smaller font.
const TAX_WIDTH: f32 = 88.0;
const AMOUNT_WIDTH: f32 = 96.0;

/// The width of text lines; longer lines are hard to read.
const NOTES_WIDTH: f32 = 430.0;

pub(crate) fn block(context: &DocumentContext<'_>) -> Block {
    tax_summary(context)
        .above(payments(context))
        .above(transfer::block(context))
        .above(payment_page(context))
        .beside(totals(context), MAX_HEIGHT)
}

fn totals(context: &DocumentContext<'_>) -> Block {
    let invoice = context.invoice;
    let totals = invoice.totals;
    let mut block = row(context, "Subtotal", &amount(totals.sub_total), Style::BODY);
    if invoice.line_amount_types != LineAmountTypes::NoTax {
        let tax = amount(totals.tax_total);
        block = block.above(row(context, "Tax", &tax, Style::BODY));
    }
    let total = amount_in_currency(totals.total);
    block = block.above(rule()).above(row(context, "Total", &total, Style::STRONG));
    // A draft has nothing paid and nothing due: only its total is shown.
    if invoice.status != InvoiceStatus::Draft {
        block = block
            .above(row(context, "Amount paid", &paid(invoice.amount_paid), Style::BODY))
            .above(due(context));
    }
    block
}

/// Paid amounts are shown as deductions.
fn paid(paid: Money) -> String {
    if paid.is_zero() { amount(paid) } else { format!("−{}", amount(paid)) }
}

fn row(context: &DocumentContext<'_>, name: &str, value: &str, style: Style) -> Block {
    let name_color =
        if style.color == color::TEXT && style.cut == Style::BODY.cut { color::MUTED } else { style.color };
    let left = SECOND_COLUMN + INSET;
    let width = RIGHT - left - INSET - 74.0;
    let elements = vec![
        context.typesetter.at(name, style.colored(name_color), left, 0.0),
        context.typesetter.figure(value, style, RIGHT - INSET, width),
    ];
    Block::strip(style.leading, elements).padded(2.0, 2.0)
}

fn rule() -> Block {
    let area = Area { left: SECOND_COLUMN, top: 2.0, width: RIGHT - SECOND_COLUMN, height: 0.6 };
    Block::strip(4.6, vec![Element::fill(area, color::RULE)])
}

/// The amount left to pay, on a panel of the brand's tint.
fn due(context: &DocumentContext<'_>) -> Block {
    let value = amount_in_currency(context.invoice.amount_due());
    let style = Style::STRONG.sized(11.0);
    let row = row(context, "Amount due", &value, style).padded(6.0, 6.0);
    let area = Area { left: SECOND_COLUMN, top: 4.0, width: RIGHT - SECOND_COLUMN, height: row.height() };
    let panel = Element::Fill { area, radius: 4.0, color: context.brand.tint };
    row.padded(4.0, 0.0).on(panel)
}

/// The notes of the account to its contact.
pub(crate) fn notes(context: &DocumentContext<'_>, flow: &mut Flow) {
    if let Some(notes) = &context.invoice.texts.notes {
        // The heading is in the strip of the first line, so that no page break separates them.
        let text = context.typesetter.paragraph(notes.as_str(), Style::BODY, LEFT, NOTES_WIDTH);
        let mut block = text.padded(Style::HEAD.leading + 3.0, 0.0);
        block.push_first(context.typesetter.at("NOTES", Style::HEAD, LEFT, 0.0));
        flow.gap(16.0);
        flow.place(block);
    }
}

/// The amount taxed at one rate, without its tax, and the tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Taxed {
    taxable: Money,
    tax: Money,
}

fn tax_summary(context: &DocumentContext<'_>) -> Block {
    let invoice = context.invoice;
    if invoice.line_amount_types == LineAmountTypes::NoTax || invoice.lines.is_empty() {
        return Block::default();
    }
    let head = tax_row(context, Style::HEAD, ["TAX SUMMARY", "Taxable", "Tax"]);
    let block = by_rate(invoice).iter().fold(head, |block, (rate, taxed)| {
        let texts = [percent(*rate), amount(taxed.taxable), amount(taxed.tax)];
        block.above(tax_row(context, Style::SMALL, texts.each_ref().map(String::as_str)))
    });
    let what = match invoice.line_amount_types {
        LineAmountTypes::Inclusive => "Line amounts include tax.",
        _ => "Line amounts do not include tax.",
    };
    let note = context.typesetter.paragraph(what, Style::SMALL, LEFT, FIRST_COLUMN_WIDTH);
    block.above(note.padded(1.0, 10.0))
}

fn tax_row(context: &DocumentContext<'_>, style: Style, [rate, taxable, tax]: [&str; 3]) -> Block {
    let figure = |text, right| context.typesetter.figure(text, style, right, TAX_WIDTH);
    let elements = vec![
        context.typesetter.at(rate, style, LEFT, 0.0),
        figure(taxable, TAXABLE_RIGHT),
        figure(tax, FIRST_COLUMN_RIGHT),
    ];
    Block::strip(style.leading, elements).padded(1.0, 2.5)
}

/// The sums of the lines by tax rate, lowest first.
fn by_rate(invoice: &Invoice) -> BTreeMap<Decimal, Taxed> {
    let nothing = Taxed { taxable: Money::zero(invoice.currency), tax: Money::zero(invoice.currency) };
    let mut rates = BTreeMap::new();
    for line in &invoice.lines {
        let without_tax = match invoice.line_amount_types {
            LineAmountTypes::Inclusive => line.line_amount.checked_sub(line.tax_amount),
            LineAmountTypes::Exclusive | LineAmountTypes::NoTax => Some(line.line_amount),
        };
        let taxed: &mut Taxed = rates.entry(line.tax_rate).or_insert(nothing);
        // Sums of the at most 500 lines of an invoice are far from overflowing 64 bits, and all are in its
        // currency.
        let taxable = without_tax.and_then(|amount| taxed.taxable.checked_add(amount));
        taxed.taxable = taxable.unwrap_or(taxed.taxable);
        taxed.tax = taxed.tax.checked_add(line.tax_amount).unwrap_or(taxed.tax);
    }
    rates
}

fn payments(context: &DocumentContext<'_>) -> Block {
    if context.invoice.payments.is_empty() {
        return Block::default();
    }
    let head =
        context.typesetter.paragraph("PAYMENTS", Style::HEAD, LEFT, FIRST_COLUMN_WIDTH).padded(1.0, 2.5);
    context
        .invoice
        .payments
        .iter()
        .fold(head, |block, payment| block.above(payment_row(context, payment)))
        .padded(0.0, 10.0)
}

/// A payment, with the payer's reference below.
fn payment_row(context: &DocumentContext<'_>, payment: &Payment) -> Block {
    let style = Style::SMALL;
    let received = short_date(context.letterhead.date_at(payment.received_at));
    let elements = vec![
        context.typesetter.at(&received, style, LEFT, 0.0),
        context.typesetter.at(method(payment.method), style, METHOD_LEFT, 0.0),
        context.typesetter.figure(&amount(payment.amount), style, FIRST_COLUMN_RIGHT, AMOUNT_WIDTH),
    ];
    let mut row = Block::strip(style.leading, elements);
    if let Some(text) = &payment.reference {
        let width = FIRST_COLUMN_RIGHT - METHOD_LEFT;
        row = row.above(context.typesetter.paragraph(text.as_str(), style, METHOD_LEFT, width));
    }
    row.padded(1.0, 2.5)
}

/// The URL of the payment page, for readers on paper.
fn payment_page(context: &DocumentContext<'_>) -> Block {
    if !context.is_payable() {
        return Block::default();
    }
    let head = context.way_to_pay.link_label().to_uppercase();
    let head = context.typesetter.paragraph(&head, Style::HEAD, LEFT, FIRST_COLUMN_WIDTH);
    head.padded(0.0, 2.0).above(address(context))
}

/// The URL, every line of which is a link to the page.
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
