//! Parsing raw bytes into a mail.

use communications::{Automatic, InboundMail, MailReader};

use crate::answered::{Answered, names_another_mail};
use crate::automatic::Mail;
use crate::bodies::{count_attachments, newest_text_of};
use crate::bounce::bounce;
use crate::characters::without_controls;
use crate::headers::{Headers, sender};
use crate::outline::{Outline, parser};

/// Headers with the recipients that the sender or servers on the way wrote.
const RECIPIENT_HEADERS: [&str; 8] = [
    "to", "cc", "delivered-to", "x-original-to", "envelope-to", "x-envelope-to", "x-forwarded-to",
    "resent-to",
];

/// Reads MIME messages.
#[derive(Debug, Clone, Copy, Default)]
pub struct MimeReader;

impl MailReader for MimeReader {
    fn read(&self, raw: &[u8]) -> Option<InboundMail> {
        let outline = Outline::of(raw)?;
        let headers = Headers::of(&outline.headers);
        let message = parser().parse(&outline.written)?;
        let from = sender(&message, &headers);
        let bounce = bounce(&message);
        let subject = message.subject().map(without_controls);
        let answered = Answered::by(&message, &headers, from.as_deref());
        let text = without_controls(&newest_text_of(&message, &answered));
        let automatic = match bounce {
            Some(_) => Some(Automatic::Bounce),
            None => Mail {
                own: &outline.headers,
                headers: &headers,
                message: &message,
                from: from.as_deref(),
                subject: subject.as_deref().unwrap_or_default(),
                text: &text,
            }
            .automatic(),
        };
        Some(InboundMail {
            message_id: headers.ids("message-id").into_iter().next(),
            in_reply_to: in_reply_to(&headers),
            from,
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
