//! Rows of `inbound_messages`.

use communications::{Address, InboxItem};
use diesel::prelude::*;
use kernel::{Named as _, StoreError, StoreResult};

use super::row_ref::RowRef;
use crate::schema::inbound_messages;
use crate::types::{RowId, RowInstant};

/// The keyword of an opt-out.
const STOP: &str = "stop";

#[derive(Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = inbound_messages, treat_none_as_default_value = false)]
pub struct InboxRow {
    id: RowId,
    key: String,
    channel: String,
    sender: Option<String>,
    content: Option<Vec<u8>>,
    received_at: RowInstant,
    state: String,
    due_at: RowInstant,
    attempts: i64,
    account_id: Option<RowId>,
    message_id: Option<RowId>,
    detail: Option<String>,
    attachments: Option<i32>,
    keyword: Option<String>,
}

impl From<&InboxItem> for InboxRow {
    fn from(item: &InboxItem) -> Self {
        Self {
            id: item.id.into(),
            key: item.key.clone(),
            channel: item.channel.as_str().to_owned(),
            sender: item.sender.as_ref().map(|sender| sender.as_str().to_owned()),
            content: item.content.clone(),
            received_at: RowInstant(item.received_at),
            state: item.state.as_str().to_owned(),
            due_at: RowInstant(item.received_at),
            attempts: item.attempts.into(),
            account_id: item.stored_as.map(|(account, _)| account.into()),
            message_id: item.stored_as.map(|(_, message)| message.into()),
            detail: item.detail.clone(),
            attachments: (item.attachments > 0).then(|| i32::try_from(item.attachments).unwrap_or(i32::MAX)),
            keyword: item.opts_out.then(|| STOP.to_owned()),
        }
    }
}

impl TryFrom<InboxRow> for InboxItem {
    type Error = StoreError;

    fn try_from(row: InboxRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "inbound_messages", id: row.id };
        Ok(Self {
            id: row.id.id(),
            channel: row_ref.named("channel", &row.channel)?,
            sender: row.sender.map(Address::from_stored),
            content: row.content,
            received_at: row.received_at.0,
            state: row_ref.named("state", &row.state)?,
            stored_as: row.account_id.zip(row.message_id).map(|(account, id)| (account.id(), id.id())),
            attempts: u32::try_from(row.attempts).unwrap_or(u32::MAX),
            detail: row.detail,
            attachments: row.attachments.and_then(|count| count.try_into().ok()).unwrap_or_default(),
            opts_out: row.keyword.as_deref() == Some(STOP),
            key: row.key,
        })
    }
}
