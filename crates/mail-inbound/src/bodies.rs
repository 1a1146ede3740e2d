//! The parts of a mail that are its text.

use std::collections::BTreeSet;

use mail_parser::{Message, MessagePart, MimeHeaders, PartType};

use crate::answered::Answered;
use crate::characters::with_plain_breaks;
use crate::html_text::text_of_html;
use crate::newest_text::newest_text;

/// Text beyond this many bytes is not read: so much is not written by hand.
const MAX_TEXT_BYTES: usize = 256 * 1024;

/// The newest text: of the plain bodies, or of the HTML bodies if those say nothing. A message has several
/// bodies where pictures stand between its paragraphs, or a server on the way put a notice above it.
pub(crate) fn newest_text_of(message: &Message<'_>, answered: &Answered) -> String {
    let plain = joined(message, &message.text_body);
    let is_html = |part: &MessagePart<'_>| matches!(part.body, PartType::Html(_));
    let has_html = || bodies(message, &message.html_body).any(is_html);
    let newest = newest_text(&plain.text, answered);
    if (newest.is_empty() || plain.has_blank) && has_html() {
        let html = newest_text(&joined(message, &message.html_body).text, answered);
        return if html.is_empty() { newest } else { html };
    }
    newest
}

/// How many files came with a message.
pub(crate) fn count_attachments(message: &Message<'_>) -> usize {
    let attached = message.attachments.iter().copied();
    let unread = [&message.text_body, &message.html_body].into_iter().flat_map(|ids| {
        let is_unread = |(place, id): &(usize, &u32)| {
            message.part(**id).is_some_and(|part| part.is_text() && !is_body(*place, part))
        };
        ids.iter().enumerate().filter(is_unread).map(|(_, id)| *id)
    });
    attached.chain(unread).collect::<BTreeSet<u32>>().len()
}

/// Bodies, one below the other.
#[derive(Default)]
struct Joined {
    text: String,
    /// Whether a plain body is blank. Some programs write the message only into its HTML alternative.
    has_blank: bool,
}

fn joined(message: &Message<'_>, ids: &[u32]) -> Joined {
    let mut joined = Joined::default();
    for part in bodies(message, ids) {
        let left = MAX_TEXT_BYTES.saturating_sub(joined.text.len());
        if left == 0 {
            break;
        }
        match &part.body {
            PartType::Text(text) => {
                joined.has_blank |= text.trim().is_empty();
                joined.text.push_str(&with_plain_breaks(cut(text, left)));
            }
            PartType::Html(html) => joined.text.push_str(cut(&text_of_html(html, left), left)),
            _ => continue,
        }
        joined.text.push('\n');
    }
    joined
}

fn bodies<'a>(message: &'a Message<'a>, ids: &'a [u32]) -> impl Iterator<Item = &'a MessagePart<'a>> {
    let parts = ids.iter().enumerate().filter_map(|(place, id)| Some((place, message.part(*id)?)));
    parts.filter(|(place, part)| is_body(*place, part)).map(|(_, part)| part)
}

/// Whether a part belongs to the text. Text with the name of a file is an attachment, even if the mail
/// program shows it within the message; only the message itself, which comes first, may have one.
fn is_body(place: usize, part: &MessagePart<'_>) -> bool {
    place == 0 || part.attachment_name().is_none()
}

fn cut(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    text.get(..end).unwrap_or_default()
}
