//! Rows of `password_resets`.

use ::sessions::PasswordReset;
use diesel::prelude::*;
use kernel::{StoreError, StoreResult, TokenHash};

use super::row_ref::RowRef;
use crate::schema::password_resets;
use crate::types::{RowId, RowInstant};

#[derive(Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = password_resets)]
pub struct PasswordResetRow {
    account_id: RowId,
    id: RowId,
    login_id: RowId,
    token_hash: Vec<u8>,
    created_at: RowInstant,
    expires_at: RowInstant,
    used_at: Option<RowInstant>,
}

impl From<&PasswordReset> for PasswordResetRow {
    /// The owner's login has the id of the account.
    fn from(reset: &PasswordReset) -> Self {
        Self {
            account_id: reset.account.into(),
            id: reset.id.into(),
            login_id: reset.account.into(),
            token_hash: reset.token_hash.as_bytes().to_vec(),
            created_at: RowInstant(reset.created_at),
            expires_at: RowInstant(reset.expires_at),
            used_at: reset.used_at.map(RowInstant),
        }
    }
}

impl TryFrom<PasswordResetRow> for PasswordReset {
    type Error = StoreError;

    fn try_from(row: PasswordResetRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "password_resets", id: row.id };
        Ok(Self {
            id: row.id.id(),
            account: row.account_id.id(),
            token_hash: TokenHash::from_bytes(row_ref.bytes32("token_hash", &row.token_hash)?),
            created_at: row.created_at.0,
            expires_at: row.expires_at.0,
            used_at: row.used_at.map(|used| used.0),
        })
    }
}
