//! Rows of `messages`.

use communications::{Address, ClassifiedBy, Message, MessageData, ReplyToken, Understood};
use diesel::prelude::*;
use kernel::{Named as _, StoreError, StoreResult, clock};
use serde::{Deserialize, Serialize};

use super::row_ref::{RowRef, json};
use crate::schema::messages;
use crate::types::{RowId, RowInstant};

#[derive(Debug, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = messages, primary_key(account_id, id))]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
pub struct MessageRow {
    pub account_id: RowId,
    pub id: RowId,
    contact_id: Option<RowId>,
    invoice_id: Option<RowId>,
    channel: String,
    direction: String,
    purpose: Option<String>,
    state: String,
    address: String,
    subject: Option<String>,
    text: String,
    written_at: RowInstant,
    began_at: Option<RowInstant>,
    state_at: RowInstant,
    provider_id: Option<String>,
    internet_id: Option<String>,
    in_reply_to: Option<String>,
    reply_token: Option<String>,
    detail: Option<String>,
    attachments: i32,
    understood: Option<String>,
    is_unread: bool,
    content_digest: Option<Vec<u8>>,
    text_removed_at: Option<RowInstant>,
    classified_by: Option<String>,
}

impl From<&Message> for MessageRow {
    fn from(message: &Message) -> Self {
        Self {
            account_id: message.account.into(),
            id: message.id.into(),
            contact_id: message.contact.map(RowId::from),
            invoice_id: message.invoice.map(RowId::from),
            channel: message.channel.as_str().to_owned(),
            direction: message.direction.as_str().to_owned(),
            purpose: message.purpose.map(|purpose| purpose.as_str().to_owned()),
            state: message.state.as_str().to_owned(),
            address: message.address.as_str().to_owned(),
            subject: message.subject.clone(),
            text: message.text.clone(),
            written_at: RowInstant(message.written_at),
            began_at: message.began_at.map(RowInstant),
            state_at: RowInstant(message.state_at),
            provider_id: message.provider_id.clone(),
            internet_id: message.internet_id.clone(),
            in_reply_to: message.in_reply_to.clone(),
            reply_token: message.reply_token.as_ref().map(|token| token.reveal().to_owned()),
            detail: message.detail.clone(),
            attachments: i32::try_from(message.attachments).unwrap_or(i32::MAX),
            understood: message.understood.as_ref().map(|understood| json(&UnderstoodDoc::from(understood))),
            is_unread: message.is_unread,
            content_digest: message.content_digest.map(Vec::from),
            text_removed_at: message.text_removed_at.map(RowInstant),
            classified_by: message
                .understood
                .as_ref()
                .map(|understood| understood.classified_by.as_str().to_owned()),
        }
    }
}

impl TryFrom<MessageRow> for Message {
    type Error = StoreError;

    fn try_from(row: MessageRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "messages", id: row.id };
        let purpose = row.purpose.as_deref().map(|name| row_ref.named("purpose", name)).transpose()?;
        let classified_by = row
            .classified_by
            .as_deref()
            .map_or(Ok(ClassifiedBy::Rules), |name| row_ref.named("classified_by", name))?;
        let understood =
            row.understood.as_deref().map(|text| UnderstoodDoc::read(row_ref, text, classified_by));
        let account = row.account_id.id();
        let digest = row.content_digest.as_deref().and_then(|bytes| bytes.first_chunk().copied());
        Ok(Self::new(MessageData {
            id: row.id.id(),
            account,
            contact: row.contact_id.map(RowId::id),
            invoice: row.invoice_id.map(RowId::id),
            channel: row_ref.named("channel", &row.channel)?,
            direction: row_ref.named("direction", &row.direction)?,
            purpose,
            state: row_ref.named("state", &row.state)?,
            address: Address::from_stored(row.address),
            subject: row.subject,
            text: row.text,
            written_at: row.written_at.0,
            began_at: row.began_at.map(|at| at.0),
            state_at: row.state_at.0,
            provider_id: row.provider_id,
            internet_id: row.internet_id,
            in_reply_to: row.in_reply_to,
            reply_token: row.reply_token.map(|text| ReplyToken::from_stored(account, text)),
            detail: row.detail,
            attachments: u32::try_from(row.attachments).unwrap_or_default(),
            understood: understood.transpose()?,
            is_unread: row.is_unread,
            content_digest: digest,
            text_removed_at: row.text_removed_at.map(|at| at.0),
        }))
    }
}

/// The interpretation of a message, as stored.
#[derive(Debug, Serialize, Deserialize)]
struct UnderstoodDoc {
    message_type: String,
    sure: bool,
    evidence: String,
    date: Option<String>,
    version: u32,
    corrected: Option<String>,
}

impl From<&Understood> for UnderstoodDoc {
    fn from(understood: &Understood) -> Self {
        Self {
            message_type: understood.message_type.as_str().to_owned(),
            sure: understood.sure,
            evidence: understood.evidence.clone(),
            date: understood.date.map(clock::date_text),
            version: understood.version,
            corrected: understood.corrected.map(|kind| kind.as_str().to_owned()),
        }
    }
}

impl UnderstoodDoc {
    fn read(row_ref: RowRef, text: &str, classified_by: ClassifiedBy) -> StoreResult<Understood> {
        let doc: Self = serde_json::from_str(text).map_err(|fault| row_ref.wrong("understood", fault))?;
        let kind = |name: &str| row_ref.named("understood", name);
        let date = doc.date.as_deref().map(clock::date_from_stored);
        let date = match date {
            Some(None) => return Err(row_ref.wrong("understood", "has a wrong date")),
            Some(date) => date,
            None => None,
        };
        Ok(Understood {
            message_type: kind(&doc.message_type)?,
            sure: doc.sure,
            evidence: doc.evidence,
            date,
            version: doc.version,
            corrected: doc.corrected.as_deref().map(kind).transpose()?,
            classified_by,
        })
    }
}
