//! What the account writes to its contact beneath the sums.

use crate::flow::Flow;
use crate::geometry::LEFT;
use crate::layout::Matter;
use crate::typesetter::Style;

/// Lines much longer than this tire the eye.
const WIDTH: f32 = 430.0;

pub(crate) fn flow(matter: &Matter<'_>, flow: &mut Flow) {
    if let Some(notes) = &matter.invoice.texts.notes {
        // The head is in the strip of the first line, so that no page break parts them.
        let text = matter
            .set
            .paragraph(notes.as_str(), Style::BODY, LEFT, WIDTH);
        let mut block = text.padded(Style::HEAD.leading + 3.0, 0.0);
        block.mark_first(matter.set.at("NOTES", Style::HEAD, LEFT, 0.0));
        flow.gap(16.0);
        flow.place(block);
    }
}
