//! Rows of `sessions`.

use ::sessions::{Origin, Session};
use diesel::prelude::*;
use kernel::{StoreError, StoreResult, TokenHash};

use super::row_ref::RowRef;
use crate::schema::sessions;
use crate::types::{RowId, RowInstant};

#[derive(Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = sessions)]
pub struct SessionRow {
    account_id: RowId,
    id: RowId,
    login_id: RowId,
    token_hash: Vec<u8>,
    created_at: RowInstant,
    last_seen_at: RowInstant,
    authenticated_at: RowInstant,
    awaits_code: bool,
    address: String,
    browser: String,
}

impl From<&Session> for SessionRow {
    /// The owner's login has the id of the account.
    fn from(session: &Session) -> Self {
        Self {
            account_id: session.account.into(),
            id: session.id.into(),
            login_id: session.account.into(),
            token_hash: session.token_hash.as_bytes().to_vec(),
            created_at: RowInstant(session.created_at),
            last_seen_at: RowInstant(session.last_seen_at),
            authenticated_at: RowInstant(session.authenticated_at),
            awaits_code: session.awaits_code,
            address: session.origin.address.to_string(),
            browser: session.origin.browser.clone(),
        }
    }
}

impl TryFrom<SessionRow> for Session {
    type Error = StoreError;

    fn try_from(row: SessionRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "sessions", id: row.id };
        let address = row.address.parse();
        Ok(Self {
            id: row.id.id(),
            account: row.account_id.id(),
            token_hash: TokenHash::from_bytes(row_ref.bytes32("token_hash", &row.token_hash)?),
            created_at: row.created_at.0,
            last_seen_at: row.last_seen_at.0,
            authenticated_at: row.authenticated_at.0,
            awaits_code: row.awaits_code,
            origin: Origin {
                address: address.map_err(|_fault| row_ref.wrong("address", "is no network address"))?,
                browser: row.browser,
            },
        })
    }
}
