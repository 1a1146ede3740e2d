//! The queries for gateway accounts: those of one account, in a transaction or not, and those of all.

use ::payments::{GatewayAccount, GatewayAccountId};
use diesel::dsl::{AsSelect, auto_type};
use diesel::prelude::*;
use kernel::{AccountId, StoreResult};
use store_schema::rows::GatewayAccountRow;
use store_schema::schema::gateway_accounts;
use store_schema::types::RowId;
use uuid::Uuid;

use super::columns::columns_of;
use crate::dialect::Db;

/// The gateway accounts of an account, oldest first.
#[auto_type]
pub(super) fn gateways_query(account: RowId) -> _ {
    let columns: AsSelect<GatewayAccountRow, Db> = columns_of::<GatewayAccountRow>();
    gateway_accounts::table
        .filter(gateway_accounts::account_id.eq(account))
        .order((gateway_accounts::connected_at, gateway_accounts::id))
        .select(columns)
}

/// The gateway accounts of all accounts after this one, at most `limit`.
pub(super) fn gateways_after(
    after: Option<(AccountId, GatewayAccountId)>,
    limit: u32,
) -> gateway_accounts::BoxedQuery<'static, Db> {
    let nowhere = (RowId(Uuid::nil()), RowId(Uuid::nil()));
    let (account, id) = after.map_or(nowhere, |(account, id)| (account.into(), id.into()));
    let behind = gateway_accounts::account_id
        .gt(account)
        .or(gateway_accounts::account_id.eq(account).and(gateway_accounts::id.gt(id)));
    gateway_accounts::table
        .filter(behind)
        .order((gateway_accounts::account_id, gateway_accounts::id))
        .limit(i64::from(limit))
        .into_boxed()
}

pub(super) fn gateways_of(rows: Vec<GatewayAccountRow>) -> StoreResult<Vec<GatewayAccount>> {
    rows.into_iter().map(GatewayAccount::try_from).collect()
}
