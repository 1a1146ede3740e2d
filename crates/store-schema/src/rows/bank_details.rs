//! Rows of `bank_details`.

use diesel::prelude::*;
use kernel::{StoreError, StoreResult, TokenHash};
use payments::{BankDetailsEntry, details_from_stored, stored_details};

use super::row_ref::RowRef;
use crate::schema::bank_details;
use crate::types::{RowId, RowInstant};

#[derive(Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = bank_details, treat_none_as_default_value = false)]
pub struct BankDetailsRow {
    pub account_id: RowId,
    pub id: RowId,
    pub currency: String,
    pub details: String,
    pub entered_at: RowInstant,
    pub in_force_at: RowInstant,
    pub undo_token_hash: Vec<u8>,
    pub withdrawn_at: Option<RowInstant>,
}

impl From<&BankDetailsEntry> for BankDetailsRow {
    fn from(entry: &BankDetailsEntry) -> Self {
        Self {
            account_id: entry.account.into(),
            id: entry.id.into(),
            currency: entry.currency.code().to_owned(),
            details: stored_details(entry.details.as_ref()),
            entered_at: RowInstant(entry.entered_at),
            in_force_at: RowInstant(entry.in_force_at),
            undo_token_hash: entry.undo_token_hash.as_bytes().to_vec(),
            withdrawn_at: entry.withdrawn_at.map(RowInstant),
        }
    }
}

impl TryFrom<BankDetailsRow> for BankDetailsEntry {
    type Error = StoreError;

    fn try_from(row: BankDetailsRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "bank_details", id: row.id };
        Ok(Self {
            id: row.id.id(),
            account: row.account_id.id(),
            currency: row_ref.currency(&row.currency)?,
            details: details_from_stored(&row.details).map_err(|fault| row_ref.wrong("details", fault))?,
            entered_at: row.entered_at.0,
            in_force_at: row.in_force_at.0,
            undo_token_hash: TokenHash::from_bytes(row_ref.bytes32("undo_token_hash", &row.undo_token_hash)?),
            withdrawn_at: row.withdrawn_at.map(|at| at.0),
        })
    }
}
