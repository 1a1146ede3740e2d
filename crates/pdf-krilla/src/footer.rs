//! What every page has: the brand's bar at its top, and at its foot the company, the number and the page
//! number.

use crate::color::Color;
use crate::context::DocumentContext;
use crate::element::Element;
use crate::flow::Page;
use crate::geometry::{Area, HEIGHT, LEFT, RIGHT, WIDTH};
use crate::typesetter::Style;

const BAR_HEIGHT: f32 = 7.0;
const FOOT_TOP: f32 = HEIGHT - 32.0;

/// Adds them to every page, once the number of pages is known.
pub(crate) fn add(context: &DocumentContext<'_>, pages: &mut [Page]) {
    let of = pages.len();
    let title = title(context);
    for (index, page) in pages.iter_mut().enumerate() {
        let bar = Area { left: 0.0, top: 0.0, width: WIDTH, height: BAR_HEIGHT };
        let rule = Area { left: LEFT, top: FOOT_TOP - 8.0, width: RIGHT - LEFT, height: 0.6 };
        let number = format!("Page {} of {of}", index + 1);
        page.extend([
            Element::fill(bar, context.brand.fill),
            Element::fill(rule, Color::RULE),
            title.clone(),
            context.typesetter.up_to(&number, Style::SMALL, RIGHT, FOOT_TOP),
        ]);
    }
}

/// Invoice number and company on one line, cut to fit: the first page has them in full.
fn title(context: &DocumentContext<'_>) -> Element {
    let (company, number) = (&context.letterhead.company_name, &context.invoice.number);
    let width = RIGHT - LEFT - 90.0;
    let whole = format!("Invoice {number}  ·  {company}");
    let mut lines = context.typesetter.runs(&whole, Style::SMALL, width).into_iter();
    let text = match (lines.next(), lines.next()) {
        (Some(line), None) => line.text,
        (Some(line), Some(_)) => format!("{}…", line.text),
        (None, _) => String::new(),
    };
    context.typesetter.at(&text, Style::SMALL, LEFT, FOOT_TOP)
}
