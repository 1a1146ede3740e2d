//! Replies that a person types in place of a contact, for trying the service out.

use escalations::Channel;
use kernel::text::one_line;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;

use super::handle::HandleError;
use super::receive::{InboundService, Incoming};
use crate::message::{Message, MessageId};

impl InboundService {
    /// Accepts a reply to a message as if its contact had sent it, and handles it at once. An e-mail is
    /// written in its raw form and then parsed; `reply_address` is where the contact's mail program would
    /// send it.
    pub async fn reply_as_contact(
        &self,
        message: &Message,
        text: &str,
        reply_address: Option<&str>,
    ) -> Result<MessageId, HandleError> {
        let now = self.clock.now();
        let unique = self.ids.uuid_at(now);
        let incoming = match message.channel {
            Channel::Email => {
                Incoming::Mail(raw_reply(message, text, reply_address, &unique.to_string(), now).into_bytes())
            }
            Channel::Sms | Channel::Voice => Incoming::Sms {
                from: message.address.clone(),
                text: text.to_owned(),
                attachments: 0,
                opts_out: false,
                provider_id: Some(format!("mailroom-{unique}")),
            },
        };
        let id = self.receive(incoming).await?;
        self.handle(id).await?;
        Ok(id)
    }
}

/// A reply as a mail program writes it (RFC 5322, RFC 6532).
fn raw_reply(
    message: &Message,
    text: &str,
    reply_address: Option<&str>,
    unique: &str,
    now: OffsetDateTime,
) -> String {
    let mut headers = vec![format!("From: <{}>", message.address)];
    // Without a known address: a group without members (RFC 5322, section 3.4).
    headers.push(match reply_address {
        Some(address) => format!("To: <{}>", one_line(address, 320)),
        None => "To: undisclosed-recipients:;".to_owned(),
    });
    let subject = message.subject.as_deref().unwrap_or_default();
    let answered = if subject.starts_with("Re: ") { "" } else { "Re: " };
    headers.push(format!("Subject: {answered}{}", one_line(subject, 500)));
    if let Ok(date) = now.format(&Rfc2822) {
        headers.push(format!("Date: {date}"));
    }
    headers.push(format!("Message-ID: <{unique}@mailroom.invalid>"));
    if let Some(id) = message.internet_id.as_deref() {
        let id = one_line(id, 500);
        headers.push(format!("In-Reply-To: <{id}>"));
        headers.push(format!("References: <{id}>"));
    }
    for header in ["MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8"] {
        headers.push(header.to_owned());
    }
    headers.push("Content-Transfer-Encoding: 8bit".to_owned());
    let lines: Vec<&str> = text.lines().collect();
    format!("{}\r\n\r\n{}\r\n", headers.join("\r\n"), lines.join("\r\n"))
}

#[cfg(test)]
mod tests {
    use kernel::Id;
    use time::macros::datetime;

    use super::*;
    use crate::address::Address;
    use crate::message::{MessageData, MessagePurpose, MessageState};

    fn message() -> Message {
        let at = datetime!(2026-11-23 20:05 UTC);
        let id = "01936f3c-2b7e-7c00-8000-000000000001";
        let way = (Channel::Email, Address::from_stored("ada@example.com".to_owned()));
        let (message, account) = (Id::parse(id).unwrap(), Id::parse(id).unwrap());
        Message::new(MessageData {
            state: MessageState::Sent,
            subject: Some("Reminder\r\nBcc: x@example.com".to_owned()),
            text: "Please pay.".to_owned(),
            internet_id: Some("m1@example.com".to_owned()),
            ..MessageData::outgoing(message, account, MessagePurpose::Reminder, way, at)
        })
    }

    #[test]
    fn reply_is_in_the_thread_and_no_text_becomes_a_header() {
        let raw = raw_reply(&message(), "I paid.\nBcc: y@example.com", None, "u1", message().written_at);
        let (headers, body) = raw.split_once("\r\n\r\n").unwrap();
        assert_eq!(body, "I paid.\r\nBcc: y@example.com\r\n");
        for header in [
            "From: <ada@example.com>",
            "Message-ID: <u1@mailroom.invalid>",
            "In-Reply-To: <m1@example.com>",
            "References: <m1@example.com>",
        ] {
            assert!(headers.lines().any(|line| line == header), "{header} in {headers}");
        }
        assert!(!headers.lines().any(|line| line.starts_with("Bcc")), "{headers}");
        let raw = raw_reply(&message(), "x", Some("reply+t@in.example.com"), "u1", message().written_at);
        assert!(raw.contains("\r\nTo: <reply+t@in.example.com>\r\n"), "{raw}");
    }
}
