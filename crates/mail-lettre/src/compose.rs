//! A mail as MIME (RFC 5322, RFC 2045).
//!
//! Text and HTML are alternatives; with attachments, both stand in a mixed part. Nothing here uses random
//! numbers or the clock: the same mail is the same bytes at every attempt.

use lettre::Message as Mime;
use lettre::message::header::{ContentType, Header, HeaderName, HeaderValue};
use lettre::message::{Attachment as FilePart, Mailbox, MultiPart, MultiPartKind, SinglePart};
use mail::{MailTransportError, RenderedMail};

use crate::sender::{Sender, with_ascii_domain};

/// Why a mail cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComposeError {
    /// No mail server understands the address.
    #[error("no mail can be addressed to {0}")]
    Address(String),
    /// The MIME library refuses what it was given.
    #[error("the mail cannot be written: {0}")]
    Mime(String),
}

/// The same mail is composed in the same way at every attempt.
impl From<ComposeError> for MailTransportError {
    fn from(error: ComposeError) -> Self {
        Self::Permanent(error.to_string())
    }
}

/// Composes a mail.
///
/// # Errors
/// A [`ComposeError`]; trying again does not help.
pub fn compose(sender: &Sender, mail: &RenderedMail) -> Result<Mime, ComposeError> {
    let message = &mail.message;
    let from_name = message.from_name.as_ref().map(|name| name.as_str());
    let to_name = message.to_name.as_ref().map(|name| name.as_str().to_owned());
    let mut builder = Mime::builder()
        .from(sender.under_name(from_name))
        .to(mailbox(to_name, message.to.as_str())?)
        .subject(message.subject.as_str())
        .message_id(Some(format!("<{}@{}>", mail.id, sender.domain())))
        .date(mail.queued_at.into())
        .header(AutoSubmitted);
    if let Some(reply_to) = &message.reply_to {
        builder = builder.reply_to(mailbox(None, reply_to.as_str())?);
    }
    builder.multipart(body(mail)?).map_err(|error| ComposeError::Mime(error.to_string()))
}

fn mailbox(name: Option<String>, address: &str) -> Result<Mailbox, ComposeError> {
    with_ascii_domain(address)
        .map(|address| Mailbox::new(name, address))
        .ok_or_else(|| ComposeError::Address(address.to_owned()))
}

fn body(mail: &RenderedMail) -> Result<MultiPart, ComposeError> {
    let message = &mail.message;
    let alternatives = part(MultiPartKind::Alternative, mail)
        .singlepart(SinglePart::plain(message.text.clone()))
        .singlepart(SinglePart::html(message.html.clone()));
    if message.attachments.is_empty() {
        return Ok(alternatives);
    }
    let mut mixed = part(MultiPartKind::Mixed, mail).multipart(alternatives);
    for attachment in &message.attachments {
        let content_type = ContentType::parse(attachment.media_type.as_str())
            .map_err(|error| ComposeError::Mime(error.to_string()))?;
        let file = FilePart::new(attachment.file_name.as_str().to_owned());
        mixed = mixed.singlepart(file.body(attachment.bytes.clone(), content_type));
    }
    Ok(mixed)
}

/// A part of parts. Its boundary holds `=_`, which no quoted-printable or base64 line does (RFC 2045, section
/// 6.7), and an id that did not exist when the text around it was written.
fn part(kind: MultiPartKind, mail: &RenderedMail) -> lettre::message::MultiPartBuilder {
    let name = match kind {
        MultiPartKind::Mixed => "mixed",
        _ => "alternative",
    };
    MultiPart::builder().kind(kind).boundary(format!("=_{name}_{}", mail.id.uuid().simple()))
}

/// Says that no person wrote the mail, so that no machine answers that its reader is on holiday (RFC 3834,
/// section 5).
#[derive(Debug, Clone, Copy)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_text: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

#[cfg(test)]
mod tests;
