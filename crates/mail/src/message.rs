//! A message: its headers, text, HTML and attachments.

use std::fmt;

use kernel::{EmailAddress, SingleLine};

use crate::attachment::Attachment;

/// The subject of a mail, at most 500 characters.
pub type Subject = SingleLine<500>;
/// The name beside an address: of a company or a person, at most 200 characters.
pub type DisplayName = SingleLine<200>;

/// A mail without its sender's address, which is the operator's: only the transport knows it.
///
/// Names, subject and addresses are [`SingleLine`]s and [`EmailAddress`]es, which contain no line break. The
/// ids of other mails come from their senders and are plain texts: a transport writes those that can be
/// Message-IDs (RFC 5322, section 3.6.4) and leaves out the others. So no text that a caller or a
/// correspondent sent can add a header or a recipient.
#[derive(Clone, PartialEq, Eq)]
pub struct MailMessage {
    /// The company in whose name it is sent, shown beside the operator's address.
    pub from_name: Option<DisplayName>,
    /// The only address that it is sent to.
    pub to: EmailAddress,
    /// The name beside that address.
    pub to_name: Option<DisplayName>,
    /// The reply address; `None` for the operator's address.
    pub reply_to: Option<EmailAddress>,
    /// The `Message-ID` of the mail that this one answers, without angle brackets.
    pub in_reply_to: Option<String>,
    /// The `Message-ID`s of the conversation, oldest first, without angle brackets. Of a long conversation
    /// the first and the latest are written.
    pub references: Vec<String>,
    /// The https or http address at which its reader unsubscribes with one click (RFC 8058): a mail program
    /// sends a POST there.
    pub unsubscribe: Option<String>,
    /// Whether a person wrote it. Other mail is marked as automatic, so that no machine answers it (RFC
    /// 3834).
    pub is_written_by_person: bool,
    pub subject: Subject,
    /// The message as plain text.
    pub text: String,
    /// The same message as HTML.
    pub html: String,
    /// The attached files.
    pub attachments: Vec<Attachment>,
}

impl MailMessage {
    /// A message with the mandatory fields; the others are set afterwards.
    #[must_use]
    pub const fn new(to: EmailAddress, subject: Subject, text: String, html: String) -> Self {
        Self {
            from_name: None,
            to,
            to_name: None,
            reply_to: None,
            in_reply_to: None,
            references: Vec::new(),
            unsubscribe: None,
            is_written_by_person: false,
            subject,
            text,
            html,
            attachments: Vec::new(),
        }
    }
}

/// The first line of a mail to a person.
#[must_use]
pub fn greeting(name: Option<&str>) -> String {
    name.map_or_else(|| "Hello,".to_owned(), |name| format!("Hello {name},"))
}

impl fmt::Debug for MailMessage {
    /// Leaves out the text: an invoice's mail holds the link to its payment page, which must not be logged.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("to", &self.to)
            .field("subject", &self.subject.as_str())
            .field("attachments", &self.attachments)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_value_with_a_line_break_is_refused() {
        for text in ["Hi\r\nBcc: eve@example.com", "Hi\nX: y", "Hi\rX: y", "Hi\0", "Hi\u{85}X: y"] {
            assert!(Subject::parse(text).is_err(), "{text:?}");
            assert!(DisplayName::parse(text).is_err(), "{text:?}");
            let address = text.replacen("Hi", "ada@example.com", 1);
            assert!(EmailAddress::parse(&address).is_err(), "{address:?}");
        }
    }

    #[test]
    fn debug_output_of_a_message_leaves_out_its_text() {
        let message = MailMessage::new(
            EmailAddress::parse("ada@example.com").unwrap(),
            SingleLine::parse("Invoice").unwrap(),
            "https://pay.example/token".to_owned(),
            "<a href=\"https://pay.example/token\">".to_owned(),
        );
        assert!(!format!("{message:?}").contains("token"));
    }
}
