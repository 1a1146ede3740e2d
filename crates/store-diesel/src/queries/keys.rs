//! Replacing API keys. The row of the key's owner is locked first, so that rotations run one after the other.

use access::NewKey;
use diesel::prelude::*;
use kernel::StoreResult;
use store_schema::rows::{AccountKeyRow, PartnerKeyRow};
use store_schema::schema::{account_keys, accounts, partner_keys, partners};
use store_schema::types::{RowId, RowInstant};

use super::run_statements::RunStatements as _;
use super::transaction::Transaction;
use crate::dialect::{Db, Locked};

/// Makes `key` the only active key of an account (of the partner, if one is given). Returns `false` when
/// there is no such account.
pub(super) async fn put_account_key(
    tx: &mut Transaction,
    partner: Option<RowId>,
    account: RowId,
    key: &NewKey,
) -> StoreResult<bool> {
    let mut found = accounts::table.filter(accounts::id.eq(account)).select(accounts::id).into_boxed::<Db>();
    if let Some(partner) = partner {
        found = found.filter(accounts::partner_id.eq(partner));
    }
    let found: Option<RowId> = tx.fetch_optional(Locked(found)).await?;
    if found.is_none() {
        return Ok(false);
    }
    let statement = diesel::update(account_keys::table)
        .filter(account_keys::account_id.eq(account))
        .filter(account_keys::revoked_at.is_null())
        .set(account_keys::revoked_at.eq(Some(RowInstant(key.created_at))));
    tx.execute(statement).await?;
    let statement = diesel::insert_into(account_keys::table).values(AccountKeyRow::new(account, key));
    tx.execute(statement).await?;
    Ok(true)
}

/// Makes `key` the only active key of a partner. Returns `false` when there is no such partner.
pub(super) async fn put_partner_key(tx: &mut Transaction, partner: RowId, key: &NewKey) -> StoreResult<bool> {
    let locked = Locked(partners::table.filter(partners::id.eq(partner)).select(partners::id));
    let found: Option<RowId> = tx.fetch_optional(locked).await?;
    if found.is_none() {
        return Ok(false);
    }
    let statement = diesel::update(partner_keys::table)
        .filter(partner_keys::partner_id.eq(partner))
        .filter(partner_keys::revoked_at.is_null())
        .set(partner_keys::revoked_at.eq(Some(RowInstant(key.created_at))));
    tx.execute(statement).await?;
    let statement = diesel::insert_into(partner_keys::table).values(PartnerKeyRow::new(partner, key));
    tx.execute(statement).await?;
    Ok(true)
}
