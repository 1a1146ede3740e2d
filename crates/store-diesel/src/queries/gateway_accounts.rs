//! The query for the gateway accounts of an account, inside and outside a transaction.

use ::payments::GatewayAccount;
use diesel::dsl::{AsSelect, auto_type};
use diesel::prelude::*;
use kernel::StoreResult;
use store_schema::rows::GatewayAccountRow;
use store_schema::schema::gateway_accounts;
use store_schema::types::RowId;

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

pub(super) fn gateways_of(rows: Vec<GatewayAccountRow>) -> StoreResult<Vec<GatewayAccount>> {
    rows.into_iter().map(GatewayAccount::try_from).collect()
}
