//! Parsing raw bytes into a mail.

use communications::{Automatic, InboundMail, MailReader};
use mail_parser::MessageParser;

use crate::automatic::automatic;
use crate::bodies::{count_attachments, newest_text_of};
use crate::bounce::bounce;
use crate::bounds::bounded;
use crate::characters::without_controls;
use crate::headers::Headers;
use crate::mended::mended;

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

/// What mail programs put before the subject of a mail that is answered or forwarded.
const ANSWER_MARKS: [&str; 24] = [
    "re", "aw", "antw", "antwort", "sv", "vs", "ref", "rif", "r", "res", "odp", "ynt", "回复", "答复",
    "返信", "fw", "fwd", "wg", "tr", "rv", "i", "enc", "pd", "转发",
];

/// Reads MIME messages.
#[derive(Debug, Clone, Copy, Default)]
pub struct MimeReader;

impl MailReader for MimeReader {
    fn read(&self, raw: &[u8]) -> Option<InboundMail> {
        let message = MessageParser::default().parse(bounded(raw))?;
        let mended = mended(&message);
        let message = mended.as_deref().map_or(Some(message), |raw| MessageParser::default().parse(raw))?;
        let headers = Headers::of(&message);
        if headers.is_empty() {
            return None;
        }
        let bounce = bounce(&message);
        let subject = message.subject().map(without_controls);
        let automatic = match bounce {
            Some(_) => Some(Automatic::Bounce),
            None => automatic(&message, &headers, subject.as_deref().unwrap_or_default()),
        };
        let text = without_controls(&newest_text_of(&message));
        let from = message.from().and_then(|from| from.first()).and_then(|from| from.address());
        Some(InboundMail {
            message_id: headers.ids("message-id").into_iter().next(),
            in_reply_to: in_reply_to(&headers),
            from: from
                .map(|from| without_controls(from.trim()).to_lowercase())
                .filter(|from| from.contains('@')),
            recipients: RECIPIENT_HEADERS.iter().flat_map(|name| headers.addresses(name)).collect(),
            text: match &subject {
                Some(subject) if text.is_empty() && automatic.is_none() && !names_another_mail(subject) => {
                    subject.clone()
                }
                _ => text,
            },
            subject,
            attachments: count_attachments(&message),
            automatic,
            bounce,
        })
    }
}

/// Whether a subject begins like that of a reply or a forwarded mail, and so may be another's words.
fn names_another_mail(subject: &str) -> bool {
    let Some((mark, _)) = subject.split_once([':', '：']) else {
        return false;
    };
    let mark = mark.trim().to_lowercase();
    let mark = mark.split_once('[').map_or(&*mark, |(mark, _count)| mark);
    ANSWER_MARKS.contains(&mark.trim_end())
}

/// The ids of the mails that it answers, each once: the directly answered one first. `References` names the
/// oldest mail of the conversation first.
fn in_reply_to(headers: &Headers) -> Vec<String> {
    let mut ids = Vec::new();
    for id in headers.ids("in-reply-to").into_iter().chain(headers.ids("references").into_iter().rev()) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}
