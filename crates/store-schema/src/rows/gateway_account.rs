//! Rows of `gateway_accounts`.

use diesel::prelude::*;
use kernel::{Named as _, StoreError, StoreResult, TokenHash};
use payments::{GatewayAccount, KeyEntry, NextKey, SealedGatewaySecret};

use super::row_ref::RowRef;
use crate::schema::gateway_accounts;
use crate::types::{RowId, RowInstant};

#[derive(Debug, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = gateway_accounts, primary_key(account_id, id))]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
pub struct GatewayAccountRow {
    pub account_id: RowId,
    pub id: RowId,
    pub kind: String,
    pub secret_key: Vec<u8>,
    pub next_key: Option<Vec<u8>>,
    pub next_key_in_force_at: Option<RowInstant>,
    pub undo_token_hash: Option<Vec<u8>>,
    pub key_entered_at: Option<RowInstant>,
    pub key_undone_at: Option<RowInstant>,
    pub earlier_undo_token_hash: Option<Vec<u8>>,
    pub earlier_key_entered_at: Option<RowInstant>,
    pub webhook_secret: Option<Vec<u8>>,
    pub connected_at: RowInstant,
    pub disconnected_at: Option<RowInstant>,
    pub listed_until: Option<RowInstant>,
}

impl From<&GatewayAccount> for GatewayAccountRow {
    fn from(gateway: &GatewayAccount) -> Self {
        let next = gateway.next_key.as_ref();
        let (entry, earlier) = (gateway.last_entry.as_ref(), gateway.earlier_entry.as_ref());
        Self {
            account_id: gateway.account.into(),
            id: gateway.id.into(),
            kind: gateway.kind.as_str().to_owned(),
            secret_key: gateway.key.0.clone(),
            next_key: next.map(|next| next.key.0.clone()),
            next_key_in_force_at: next.map(|next| RowInstant(next.in_force_at)),
            undo_token_hash: entry.map(|entry| entry.undo_token_hash.as_bytes().to_vec()),
            key_entered_at: entry.map(|entry| RowInstant(entry.entered_at)),
            key_undone_at: gateway.undone_at.map(RowInstant),
            earlier_undo_token_hash: earlier.map(|entry| entry.undo_token_hash.as_bytes().to_vec()),
            earlier_key_entered_at: earlier.map(|entry| RowInstant(entry.entered_at)),
            webhook_secret: gateway.webhook_secret.as_ref().map(|secret| secret.0.clone()),
            connected_at: RowInstant(gateway.connected_at),
            disconnected_at: gateway.disconnected_at.map(RowInstant),
            listed_until: gateway.listed_until.map(RowInstant),
        }
    }
}

impl TryFrom<GatewayAccountRow> for GatewayAccount {
    type Error = StoreError;

    fn try_from(row: GatewayAccountRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "gateway_accounts", id: row.id };
        let next_key = row.next_key.zip(row.next_key_in_force_at);
        let entry = |column, hash: Option<Vec<u8>>, entered_at: Option<RowInstant>| {
            let Some((hash, RowInstant(entered_at))) = hash.zip(entered_at) else {
                return Ok(None);
            };
            let undo_token_hash = TokenHash::from_bytes(row_ref.bytes32(column, &hash)?);
            Ok::<_, StoreError>(Some(KeyEntry { undo_token_hash, entered_at }))
        };
        Ok(Self {
            id: row.id.id(),
            account: row.account_id.id(),
            kind: row_ref.named("kind", &row.kind)?,
            key: SealedGatewaySecret(row.secret_key),
            next_key: next_key.map(|(key, in_force_at)| NextKey {
                key: SealedGatewaySecret(key),
                in_force_at: in_force_at.0,
            }),
            last_entry: entry("undo_token_hash", row.undo_token_hash, row.key_entered_at)?,
            earlier_entry: entry(
                "earlier_undo_token_hash", row.earlier_undo_token_hash, row.earlier_key_entered_at,
            )?,
            undone_at: row.key_undone_at.map(|at| at.0),
            webhook_secret: row.webhook_secret.map(SealedGatewaySecret),
            connected_at: row.connected_at.0,
            disconnected_at: row.disconnected_at.map(|at| at.0),
            listed_until: row.listed_until.map(|at| at.0),
        })
    }
}
