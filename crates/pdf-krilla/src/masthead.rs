//! The head of an invoice: who it is from on the left, what it is on the right.

use crate::block::Block;
use crate::geometry::{Area, FIRST_COLUMN_WIDTH, LEFT, RIGHT, SECOND_COLUMN};
use crate::layout::Matter;
use crate::mark::Mark;
use crate::typesetter::Style;
use crate::wording::date;

/// The largest logo.
const LOGO_WIDTH: f32 = 170.0;
const LOGO_HEIGHT: f32 = 46.0;
/// What the names of the facts take of the right-hand column.
const NAMES_WIDTH: f32 = 84.0;
/// The most that stands side by side; long addresses on both sides go beneath each other.
const MOST_HEIGHT: f32 = 420.0;

pub(crate) fn block(matter: &Matter<'_>) -> Block {
    company(matter).beside(facts(matter), MOST_HEIGHT)
}

fn company(matter: &Matter<'_>) -> Block {
    let letterhead = matter.letterhead;
    let paragraph = |text: &str, style| matter.set.paragraph(text, style, LEFT, FIRST_COLUMN_WIDTH);
    // Where there is no logo, the name is one.
    let mut block = match matter.logo {
        Some(size) => logo(size).above(paragraph(
            &letterhead.company_name,
            Style::STRONG.sized(11.0),
        )),
        None => paragraph(&letterhead.company_name, Style::STRONG.sized(16.0)),
    };
    block = block.above(Block::gap(3.0));
    let abn = letterhead.abn.as_ref().map(|abn| format!("ABN {abn}"));
    let lines = letterhead
        .address_lines
        .iter()
        .chain(&letterhead.email)
        .chain(&letterhead.phone)
        .chain(&abn);
    for line in lines.filter(|line| !line.trim().is_empty()) {
        block = block.above(paragraph(line, Style::MUTED));
    }
    block
}

fn logo((width, height): (f32, f32)) -> Block {
    let scale = (LOGO_WIDTH / width).min(LOGO_HEIGHT / height);
    let area = Area {
        left: LEFT,
        top: 0.0,
        width: width * scale,
        height: height * scale,
    };
    Block::strip(area.height + 12.0, vec![Mark::Logo(area)])
}

fn facts(matter: &Matter<'_>) -> Block {
    let invoice = matter.invoice;
    let title = Style::STRONG.sized(27.0).inked(matter.brand.text);
    let mut block = Block::strip(
        title.leading + 5.0,
        vec![matter.set.up_to("INVOICE", title, RIGHT, -5.0)],
    );
    let number = invoice.number.to_string();
    let [dated, due] = [invoice.invoice_date, invoice.due_date].map(date);
    let facts = [
        ("Invoice number", Some(number.as_str())),
        ("Invoice date", Some(dated.as_str())),
        ("Due date", Some(due.as_str())),
        (
            "Reference",
            invoice.texts.reference.as_ref().map(|text| text.as_str()),
        ),
        (
            "Prepared by",
            invoice.texts.staff.as_ref().map(|text| text.as_str()),
        ),
    ];
    for (name, value) in facts {
        let Some(value) = value else { continue };
        let width = RIGHT - SECOND_COLUMN - NAMES_WIDTH;
        let mut row = matter.set.ranged_right(value, Style::STRONG, RIGHT, width);
        row.mark_first(matter.set.at(name, Style::MUTED, SECOND_COLUMN, 0.0));
        block = block.above(row.padded(0.0, 2.5));
    }
    block
}
