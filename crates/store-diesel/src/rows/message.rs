//! A mail's message as one JSON object: it is written and read whole, and never queried.

use ::mail::{Attachment, MediaType, Message, SealedSecret};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kernel::{EmailAddress, SingleLine, StoreError};
use serde::{Deserialize, Serialize};

use super::row_ref::{RowRef, text_or_null};

#[derive(Serialize, Deserialize)]
struct Stored {
    from_name: Option<String>,
    to: String,
    to_name: Option<String>,
    reply_to: Option<String>,
    subject: String,
    text: String,
    html: String,
    attachments: Vec<StoredAttachment>,
    /// In base64, as it is sealed; absent in mails that have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct StoredAttachment {
    file_name: String,
    media_type: String,
    base64: String,
}

/// The message as JSON.
pub(crate) fn to_json(message: &Message) -> String {
    let attachment = |attachment: &Attachment| StoredAttachment {
        file_name: attachment.file_name.as_str().to_owned(),
        media_type: attachment.media_type.as_str().to_owned(),
        base64: STANDARD.encode(&attachment.bytes),
    };
    let stored = Stored {
        from_name: text_or_null(message.from_name.as_ref()),
        to: message.to.as_str().to_owned(),
        to_name: text_or_null(message.to_name.as_ref()),
        reply_to: message.reply_to.as_ref().map(|to| to.as_str().to_owned()),
        subject: message.subject.as_str().to_owned(),
        text: message.text.clone(),
        html: message.html.clone(),
        attachments: message.attachments.iter().map(attachment).collect(),
        secret: message
            .secret
            .as_ref()
            .map(|sealed| STANDARD.encode(&sealed.0)),
    };
    // Text and lists of text always have a JSON form.
    serde_json::to_string(&stored).unwrap_or_default()
}

/// The message from JSON.
pub(super) fn from_json(json: &str, place: RowRef) -> Result<Message, StoreError> {
    let stored: Stored =
        serde_json::from_str(json).map_err(|_fault| place.wrong("message", "is not a message"))?;
    let address = |text: String| EmailAddress::from_stored(text);
    let mut message = Message::new(
        address(stored.to),
        SingleLine::from_stored(stored.subject),
        stored.text,
        stored.html,
    );
    message.from_name = stored.from_name.map(SingleLine::from_stored);
    message.to_name = stored.to_name.map(SingleLine::from_stored);
    message.reply_to = stored.reply_to.map(address);
    let attachments = stored
        .attachments
        .into_iter()
        .map(|stored| attachment(stored, place));
    message.attachments = attachments.collect::<Result<_, _>>()?;
    let sealed = stored.secret.map(|sealed| STANDARD.decode(sealed));
    let sealed = sealed.transpose();
    message.secret = sealed
        .map_err(|_fault| place.wrong("message", "has a broken secret"))?
        .map(SealedSecret);
    Ok(message)
}

fn attachment(stored: StoredAttachment, place: RowRef) -> Result<Attachment, StoreError> {
    let bytes = STANDARD.decode(&stored.base64);
    Ok(Attachment {
        file_name: SingleLine::from_stored(stored.file_name),
        media_type: MediaType::parse(&stored.media_type)
            .map_err(|fault| place.wrong("message", fault))?,
        bytes: bytes.map_err(|_fault| place.wrong("message", "has a broken attachment"))?,
    })
}
