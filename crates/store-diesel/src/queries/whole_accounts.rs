//! Accounts with the columns of other tables that belong to them.

use diesel::dsl::{AsSelect, auto_type};
use diesel::prelude::*;
use kernel::{AccountId, OffsetPage, PartnerId, SingleLine, StoreError, StoreResult};
use partner_accounts::Account;
use store_schema::rows::{AccountRow, LiveKeyRow, WholeAccountRow, whole_account};
use store_schema::schema::{account_keys, accounts, logins, webhook_endpoints};
use store_schema::types::RowId;

use super::columns::columns_of;
use super::pooled_connection::PooledConnection;
use super::run_statements::RunStatements;
use crate::dialect::{Db, together};

/// Accounts with the owner's e-mail address, the active key and the URL of the enabled provisioned endpoint,
/// at most one of each.
#[auto_type]
fn whole() -> _ {
    let account: AsSelect<AccountRow, Db> = columns_of::<AccountRow>();
    let key: AsSelect<Option<LiveKeyRow>, Db> = columns_of::<Option<LiveKeyRow>>();
    accounts::table
        .inner_join(logins::table.on(logins::account_id.eq(accounts::id).and(logins::id.eq(accounts::id))))
        .left_join(
            account_keys::table
                .on(account_keys::account_id.eq(accounts::id).and(account_keys::revoked_at.is_null())),
        )
        .left_join(
            webhook_endpoints::table.on(webhook_endpoints::account_id
                .eq(accounts::id)
                .and(webhook_endpoints::provisioned)
                .and(webhook_endpoints::enabled)),
        )
        .select((account, logins::email, key, webhook_endpoints::url.nullable()))
}

/// Which account to read.
#[derive(Debug, Clone, Copy)]
pub(super) enum AccountSelection<'a> {
    Any(AccountId),
    OfPartner(PartnerId, AccountId),
    WithExternalId(PartnerId, &'a SingleLine<255>),
}

type AccountQuery<'a> = diesel::dsl::IntoBoxed<'a, whole, Db>;

fn query(which: AccountSelection<'_>) -> AccountQuery<'_> {
    let all = whole().into_boxed();
    match which {
        AccountSelection::Any(id) => all.filter(accounts::id.eq(RowId::from(id))),
        AccountSelection::OfPartner(partner, id) => {
            all.filter(accounts::partner_id.eq(RowId::from(partner))).filter(accounts::id.eq(RowId::from(id)))
        }
        AccountSelection::WithExternalId(partner, external_id) => all
            .filter(accounts::partner_id.eq(RowId::from(partner)))
            .filter(accounts::external_id.eq(external_id.as_str())),
    }
}

/// Reads an account, on a connection or in a transaction.
pub(super) async fn read(
    on: &mut impl RunStatements,
    which: AccountSelection<'_>,
) -> StoreResult<Option<Account>> {
    let found: Option<WholeAccountRow> = on.fetch_optional(query(which)).await?;
    found.map(whole_account).transpose()
}

/// Reads a page of a partner's accounts, newest first, and counts all of them.
pub(super) async fn page(
    connection: &mut PooledConnection,
    partner: PartnerId,
    limit: usize,
    offset: u64,
) -> StoreResult<OffsetPage<Account>> {
    let partner = RowId::from(partner);
    // An offset beyond the range of i64 is past every row, as is the largest i64.
    let page = whole()
        .filter(accounts::partner_id.eq(partner))
        .order(accounts::id.desc())
        .limit(i64::try_from(limit).unwrap_or(i64::MAX))
        .offset(i64::try_from(offset).unwrap_or(i64::MAX));
    let total = accounts::table.filter(accounts::partner_id.eq(partner)).count();
    let found = together!(connection.conn()?; page, total);
    let (rows, totals): (Vec<WholeAccountRow>, Vec<i64>) = connection.settle(found)?;
    let total: i64 = totals.into_iter().sum();
    let items = rows.into_iter().map(whole_account);
    Ok(OffsetPage {
        items: items.collect::<Result<_, _>>()?,
        total: u64::try_from(total).map_err(|source| StoreError::Failed(source.into()))?,
    })
}

/// Reads accounts, newest first: of a partner, if one is given, and before an account, if one is given.
pub(super) async fn newest(
    connection: &mut PooledConnection,
    partner: Option<PartnerId>,
    before: Option<AccountId>,
    limit: usize,
) -> StoreResult<Vec<Account>> {
    let mut query =
        whole().into_boxed().order(accounts::id.desc()).limit(i64::try_from(limit).unwrap_or(i64::MAX));
    if let Some(partner) = partner {
        query = query.filter(accounts::partner_id.eq(RowId::from(partner)));
    }
    if let Some(before) = before {
        query = query.filter(accounts::id.lt(RowId::from(before)));
    }
    let rows: Vec<WholeAccountRow> = connection.fetch_all(query).await?;
    rows.into_iter().map(whole_account).collect()
}
