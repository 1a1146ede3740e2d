//! Rows of `audit_entries`.

use diesel::prelude::*;
use kernel::{StoreError, StoreResult};
use serde_json::Value;
use sessions::AuditEntry;

use super::row_ref::RowRef;
use crate::schema::audit_entries;
use crate::types::{RowId, RowInstant};

#[derive(Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = audit_entries)]
pub struct AuditEntryRow {
    pub account_id: RowId,
    id: RowId,
    at: RowInstant,
    actor: String,
    address: Option<String>,
    action: String,
    state_before: Option<String>,
    state_after: Option<String>,
}

impl From<&AuditEntry> for AuditEntryRow {
    fn from(entry: &AuditEntry) -> Self {
        Self {
            account_id: entry.account.into(),
            id: entry.id.into(),
            at: RowInstant(entry.at),
            actor: entry.actor.clone(),
            address: entry.address.clone(),
            action: entry.action.clone(),
            state_before: entry.before.as_ref().map(Value::to_string),
            state_after: entry.after.as_ref().map(Value::to_string),
        }
    }
}

impl TryFrom<AuditEntryRow> for AuditEntry {
    type Error = StoreError;

    fn try_from(row: AuditEntryRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "audit_entries", id: row.id };
        let read = |column, text: Option<String>| {
            let json = text.as_deref().map(serde_json::from_str::<Value>).transpose();
            json.map_err(|_fault| row_ref.wrong(column, "is no JSON"))
        };
        Ok(Self {
            before: read("state_before", row.state_before)?,
            after: read("state_after", row.state_after)?,
            id: row.id.id(),
            account: row.account_id.id(),
            at: row.at.0,
            actor: row.actor,
            address: row.address,
            action: row.action,
        })
    }
}
