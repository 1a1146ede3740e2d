//! What every page has: the brand's bar at its head, and at its foot whose it is and which of how many.

use crate::flow::Page;
use crate::geometry::{Area, HEIGHT, LEFT, RIGHT, WIDTH};
use crate::ink::Ink;
use crate::layout::Matter;
use crate::mark::Mark;
use crate::typesetter::Style;

const BAR_HEIGHT: f32 = 7.0;
const FOOT_TOP: f32 = HEIGHT - 32.0;

/// Puts the furniture on every page. It comes last, when the number of pages is known.
pub(crate) fn add(matter: &Matter<'_>, pages: &mut [Page]) {
    let of = pages.len();
    let owner = owner(matter);
    for (index, page) in pages.iter_mut().enumerate() {
        let bar = Area {
            left: 0.0,
            top: 0.0,
            width: WIDTH,
            height: BAR_HEIGHT,
        };
        let rule = Area {
            left: LEFT,
            top: FOOT_TOP - 8.0,
            width: RIGHT - LEFT,
            height: 0.6,
        };
        let number = format!("Page {} of {of}", index + 1);
        page.extend([
            Mark::fill(bar, matter.brand.fill),
            Mark::fill(rule, Ink::RULE),
            owner.clone(),
            matter.set.up_to(&number, Style::SMALL, RIGHT, FOOT_TOP),
        ]);
    }
}

/// Whose the page is, on one line: the page's head says it in full.
fn owner(matter: &Matter<'_>) -> Mark {
    let (company, number) = (&matter.letterhead.company_name, &matter.invoice.number);
    let width = RIGHT - LEFT - 90.0;
    let whole = format!("Invoice {number}  ·  {company}");
    let mut lines = matter.set.runs(&whole, Style::SMALL, width).into_iter();
    let text = match (lines.next(), lines.next()) {
        (Some(line), None) => line.text,
        (Some(line), Some(_)) => format!("{}…", line.text),
        (None, _) => String::new(),
    };
    matter.set.at(&text, Style::SMALL, LEFT, FOOT_TOP)
}
