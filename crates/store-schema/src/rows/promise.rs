//! Rows of `promises`.

use diesel::prelude::*;
use invoices::Promise;
use kernel::{AccountId, Named as _, StoreError, StoreResult};

use super::row_ref::RowRef;
use crate::schema::promises;
use crate::types::{RowDay, RowId, RowInstant};

#[derive(Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = promises, treat_none_as_default_value = false)]
pub struct PromiseRow {
    pub account_id: RowId,
    pub id: RowId,
    pub invoice_id: RowId,
    pub promised_on: RowDay,
    pub made_by: String,
    pub message_id: Option<RowId>,
    pub is_replacement: bool,
    pub made_at: RowInstant,
    pub superseded_at: Option<RowInstant>,
    pub withdrawn_at: Option<RowInstant>,
}

impl PromiseRow {
    pub fn new(account: AccountId, promise: &Promise) -> Self {
        Self {
            account_id: account.into(),
            id: promise.id.into(),
            invoice_id: promise.invoice.into(),
            promised_on: RowDay(promise.promised_on),
            made_by: promise.made_by.as_str().to_owned(),
            message_id: promise.message.map(RowId),
            is_replacement: promise.is_replacement,
            made_at: RowInstant(promise.made_at),
            superseded_at: promise.superseded_at.map(RowInstant),
            withdrawn_at: promise.withdrawn_at.map(RowInstant),
        }
    }
}

impl TryFrom<PromiseRow> for Promise {
    type Error = StoreError;

    fn try_from(row: PromiseRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "promises", id: row.id };
        Ok(Self {
            id: row.id.id(),
            invoice: row.invoice_id.id(),
            promised_on: row.promised_on.0,
            made_by: row_ref.named("made_by", &row.made_by)?,
            message: row.message_id.map(|id| id.0),
            is_replacement: row.is_replacement,
            made_at: row.made_at.0,
            superseded_at: row.superseded_at.map(|at| at.0),
            withdrawn_at: row.withdrawn_at.map(|at| at.0),
        })
    }
}
