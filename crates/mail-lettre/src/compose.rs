//! A mail as MIME (RFC 5322, RFC 2045).
//!
//! Text and HTML are alternatives; with attachments, both stand in a mixed part. Nothing here uses random
//! numbers or the clock: the same mail is the same bytes at every attempt.

use lettre::Message as Mime;
use lettre::message::header::ContentType;
use lettre::message::{
    Attachment as FilePart, Mailbox, MessageBuilder, MultiPart, MultiPartKind, SinglePart,
};
use mail::{MailMessage, MailTransportError, RenderedMail};

use crate::conversation;
use crate::headers::{AutoSubmitted, ListUnsubscribe, ListUnsubscribePost, LoopMark};
use crate::sender::{SenderAddress, with_ascii_domain};

/// Why a mail cannot be composed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComposeError {
    /// No mail server understands the address.
    #[error("no mail can be addressed to {0}")]
    Address(String),
    /// The MIME library refuses what it was given.
    #[error("the mail cannot be written: {0}")]
    Mime(String),
    /// The unsubscribe URL is not valid. It may hold a token, so it is not repeated.
    #[error("the address to unsubscribe at is no http or https address")]
    Unsubscribe,
}

/// Permanent: every attempt composes a mail in the same way.
impl From<ComposeError> for MailTransportError {
    fn from(error: ComposeError) -> Self {
        Self::Permanent(error.to_string())
    }
}

/// Composes a mail.
///
/// # Errors
/// A [`ComposeError`]; trying again does not help.
pub fn compose(sender: &SenderAddress, mail: &RenderedMail) -> Result<Mime, ComposeError> {
    let message = &mail.message;
    let from_name = message.from_name.as_ref().map(|name| name.as_str()).filter(is_phrase);
    let to_name = message.to_name.as_ref().map(|name| name.as_str()).filter(is_phrase).map(str::to_owned);
    let mut builder = Mime::builder()
        .from(sender.under_name(from_name))
        .to(mailbox(to_name, message.to.as_str())?)
        .subject(plain(message.subject.as_str()))
        .message_id(Some(format!("<{}>", sender.message_id(mail.id))))
        .date(mail.queued_at.into())
        .header(LoopMark);
    if !message.is_written_by_person {
        builder = builder.header(AutoSubmitted);
    }
    if let Some(reply_to) = &message.reply_to {
        builder = builder.reply_to(mailbox(None, reply_to.as_str())?);
    }
    if let Some(url) = &message.unsubscribe {
        let list_unsubscribe = ListUnsubscribe::at(url).ok_or(ComposeError::Unsubscribe)?;
        builder = builder.header(list_unsubscribe).header(ListUnsubscribePost);
    }
    with_conversation(builder, message)
        .multipart(body(mail)?)
        .map_err(|error| ComposeError::Mime(error.to_string()))
}

/// Adds headers that name the answered mail and those before it (RFC 5322, section 3.6.4).
fn with_conversation(builder: MessageBuilder, message: &MailMessage) -> MessageBuilder {
    let builder = match conversation::written([message.in_reply_to.as_deref().unwrap_or_default()]) {
        Some(id) => builder.in_reply_to(id),
        None => builder,
    };
    match conversation::written(message.references.iter().map(String::as_str)) {
        Some(ids) => builder.references(ids),
        None => builder,
    }
}

/// A subject that is read as it is written: `=?` would begin an encoded word (RFC 2047, section 2). The MIME
/// library encodes words with the invisible character between the two.
fn plain(subject: &str) -> String {
    subject.replace("=?", "=\u{200b}?")
}

/// Whether a name can stand before an address: there, dots alone are no phrase (RFC 5322, section 3.2.5).
fn is_phrase(name: &&str) -> bool {
    name.contains(|letter| !matches!(letter, '.' | ' '))
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

/// A multipart part. Its boundary holds `=_`, which no quoted-printable or base64 line does (RFC 2045,
/// section 6.7), and the mail's id, which did not exist when the text was written.
fn part(kind: MultiPartKind, mail: &RenderedMail) -> lettre::message::MultiPartBuilder {
    let name = match kind {
        MultiPartKind::Mixed => "mixed",
        _ => "alternative",
    };
    MultiPart::builder().kind(kind).boundary(format!("=_{name}_{}", mail.id.uuid().simple()))
}

#[cfg(test)]
mod tests;
