//! Parsing raw bytes into a mail.

use communications::{Automatic, InboundMail, MailReader};
use mail_parser::{Message, MessageParser, PartType};

use crate::automatic::automatic;
use crate::bounce::bounce;
use crate::bounds::bounded;
use crate::characters::without_controls;
use crate::headers::Headers;
use crate::html_text::text_of_html;
use crate::newest_text::newest_text;

/// Text beyond this many bytes is not read: nobody writes so much, and machines quote more.
const MAX_TEXT_BYTES: usize = 256 * 1024;
/// Headers with the recipients that the sender or servers on the way wrote.
const RECIPIENT_HEADERS: [&str; 8] = [
    "to",
    "cc",
    "delivered-to",
    "x-original-to",
    "envelope-to",
    "x-envelope-to",
    "x-forwarded-to",
    "resent-to",
];

/// Reads MIME messages.
#[derive(Debug, Clone, Copy, Default)]
pub struct MimeReader;

impl MailReader for MimeReader {
    fn read(&self, raw: &[u8]) -> Option<InboundMail> {
        let message = MessageParser::default().parse(bounded(raw))?;
        let headers = Headers::of(&message);
        if headers.is_empty() {
            return None;
        }
        let bounce = bounce(&message);
        let automatic = if bounce.is_some() { Some(Automatic::Bounce) } else { automatic(&headers) };
        let from = message.from().and_then(|from| from.first()).and_then(|from| from.address());
        Some(InboundMail {
            message_id: headers.ids("message-id").into_iter().next(),
            answers: answers(&headers),
            from: from
                .map(|from| without_controls(from.trim()).to_lowercase())
                .filter(|from| from.contains('@')),
            recipients: RECIPIENT_HEADERS.iter().flat_map(|name| headers.addresses(name)).collect(),
            subject: message.subject().map(without_controls),
            text: without_controls(&text(&message)),
            attachments: message.attachment_count(),
            automatic,
            bounce,
        })
    }
}

/// The ids of the mails that it answers, each once: the directly answered one first.
fn answers(headers: &Headers) -> Vec<String> {
    let mut answers = Vec::new();
    for id in headers.ids("in-reply-to").into_iter().chain(headers.ids("references")) {
        if !answers.contains(&id) {
            answers.push(id);
        }
    }
    answers
}

/// The newest text: of the plain part if that is not empty, else of the HTML.
fn text(message: &Message<'_>) -> String {
    let parts = || message.text_bodies().chain(message.html_bodies());
    let plain = parts().find_map(|part| match &part.body {
        PartType::Text(text) if !text.trim().is_empty() => Some(newest_text(cut(text))),
        _ => None,
    });
    match plain {
        Some(plain) if !plain.is_empty() => plain,
        _ => {
            let html = parts().find_map(|part| match &part.body {
                PartType::Html(html) => Some(newest_text(&text_of_html(cut(html)))),
                _ => None,
            });
            html.unwrap_or_default()
        }
    }
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(MAX_TEXT_BYTES);
    while !text.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    text.get(..end).unwrap_or_default()
}
