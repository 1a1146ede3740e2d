//! The fields of an account that its owner sets on the pages of reminders and payments.

use diesel::prelude::*;
use kernel::{AccountId, StoreResult, TimeZone};
use store_schema::errors::failed;
use store_schema::schema::accounts;
use store_schema::types::RowId;

use super::run_statements::RunStatements as _;
use super::transaction::Transaction;
use crate::dialect::Locked;

/// The time zone and the days of promises. The account is locked until the transaction ends.
pub(super) async fn lock(tx: &mut Transaction, account: AccountId) -> StoreResult<Option<(TimeZone, u16)>> {
    let columns = (accounts::time_zone, accounts::promise_days);
    let query = Locked(accounts::table.filter(accounts::id.eq(RowId::from(account))).select(columns));
    let found: Option<(String, i32)> = tx.fetch_optional(query).await?;
    found.map(|(zone, days)| Ok((TimeZone::from_stored(&zone), days_of(days)?))).transpose()
}

/// Converts the days of promises.
pub(super) fn days_of(row: i32) -> StoreResult<u16> {
    u16::try_from(row).map_err(|_out_of_range| failed("promise_days is out of range"))
}

/// Sets the days of promises of a locked account.
pub(super) async fn set_promise_days(tx: &mut Transaction, account: AccountId, days: u16) -> StoreResult<()> {
    let statement = diesel::update(accounts::table)
        .filter(accounts::id.eq(RowId::from(account)))
        .set(accounts::promise_days.eq(i32::from(days)));
    tx.execute(statement).await?;
    Ok(())
}
