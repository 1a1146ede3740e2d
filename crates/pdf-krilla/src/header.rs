//! The header of an invoice: the company on the left, number and dates on the right.

use crate::block::Block;
use crate::context::DocumentContext;
use crate::element::Element;
use crate::geometry::{Area, FIRST_COLUMN_WIDTH, LEFT, RIGHT, SECOND_COLUMN};
use crate::typesetter::Style;
use crate::wording::date;

/// The largest logo.
const LOGO_WIDTH: f32 = 170.0;
const LOGO_HEIGHT: f32 = 46.0;
/// What the names of the facts take of the right-hand column.
const NAMES_WIDTH: f32 = 84.0;
/// The most that stands side by side; long addresses on both sides go beneath each other.
const MOST_HEIGHT: f32 = 420.0;

pub(crate) fn block(context: &DocumentContext<'_>) -> Block {
    company(context).beside(facts(context), MOST_HEIGHT)
}

fn company(context: &DocumentContext<'_>) -> Block {
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
    let [dated, due] = [invoice.invoice_date, invoice.due_date].map(date);
    let facts = [
        ("Invoice number", Some(number.as_str())),
        ("Invoice date", Some(dated.as_str())),
        ("Due date", Some(due.as_str())),
        ("Reference", invoice.texts.reference.as_ref().map(|text| text.as_str())),
        ("Prepared by", invoice.texts.staff.as_ref().map(|text| text.as_str())),
    ];
    for (name, value) in facts {
        let Some(value) = value else { continue };
        let width = RIGHT - SECOND_COLUMN - NAMES_WIDTH;
        let mut row = context.typesetter.ranged_right(value, Style::STRONG, RIGHT, width);
        row.push_first(context.typesetter.at(name, Style::MUTED, SECOND_COLUMN, 0.0));
        block = block.above(row.padded(0.0, 2.5));
    }
    block
}
