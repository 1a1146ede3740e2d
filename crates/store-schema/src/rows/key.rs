//! Rows of `account_keys` and `partner_keys`.

use access::NewKey;
use diesel::prelude::*;
use partner_accounts::KeyInfo;

use crate::schema::{account_keys, partner_keys};
use crate::types::{RowId, RowInstant};

/// A new row of `account_keys`.
#[derive(Debug, Insertable)]
#[diesel(table_name = account_keys)]
pub struct AccountKeyRow {
    pub account_id: RowId,
    pub id: RowId,
    pub hash: Vec<u8>,
    pub prefix: &'static str,
    pub last_four: String,
    pub created_at: RowInstant,
}

/// A new row of `partner_keys`.
#[derive(Debug, Insertable)]
#[diesel(table_name = partner_keys)]
pub struct PartnerKeyRow {
    partner_id: RowId,
    id: RowId,
    hash: Vec<u8>,
    prefix: &'static str,
    last_four: String,
    created_at: RowInstant,
}

impl AccountKeyRow {
    pub fn new(account_id: RowId, key: &NewKey) -> Self {
        Self {
            account_id,
            id: key.id.into(),
            hash: key.hash.as_bytes().to_vec(),
            prefix: key.prefix,
            last_four: key.last_four.clone(),
            created_at: RowInstant(key.created_at),
        }
    }
}

impl PartnerKeyRow {
    pub fn new(partner_id: RowId, key: &NewKey) -> Self {
        Self {
            partner_id,
            id: key.id.into(),
            hash: key.hash.as_bytes().to_vec(),
            prefix: key.prefix,
            last_four: key.last_four.clone(),
            created_at: RowInstant(key.created_at),
        }
    }
}

/// The displayed columns of an account's active key.
#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = account_keys)]
pub struct LiveKeyRow {
    prefix: String,
    last_four: String,
    created_at: RowInstant,
    last_used_at: Option<RowInstant>,
}

impl From<LiveKeyRow> for KeyInfo {
    fn from(row: LiveKeyRow) -> Self {
        Self {
            prefix: row.prefix,
            last_four: row.last_four,
            created_at: row.created_at.0,
            last_used_at: row.last_used_at.map(|at| at.0),
        }
    }
}
