//! Reading a partner's accounts.

use async_trait::async_trait;
use diesel::dsl::{AsSelect, auto_type};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use kernel::{AccountId, Line, OffsetPage, PartnerScope, StoreError};
use partner_accounts::{Account, AccountReads};

use super::Database;
use super::dialect::{Db, together};
use crate::rows::{AccountRow, AccountWithKey, LiveKeyRow};
use crate::schema::{account_keys, accounts, logins};
use crate::types::RowId;

/// Accounts with their owner's address and their live key, of which there is at most one.
#[auto_type]
pub(super) fn with_key() -> _ {
    let account: AsSelect<AccountRow, Db> = AccountRow::as_select();
    let key: AsSelect<Option<LiveKeyRow>, Db> = Option::<LiveKeyRow>::as_select();
    accounts::table
        .inner_join(
            logins::table.on(logins::account_id
                .eq(accounts::id)
                .and(logins::id.eq(accounts::id))),
        )
        .left_join(
            account_keys::table.on(account_keys::account_id
                .eq(accounts::id)
                .and(account_keys::revoked_at.is_null())),
        )
        .select((account, logins::email, key))
}

#[async_trait]
impl AccountReads for Database {
    async fn get(
        &self,
        partner: PartnerScope,
        id: AccountId,
    ) -> Result<Option<Account>, StoreError> {
        let mut lease = self.pool.read().await?;
        let found = with_key()
            .filter(accounts::partner_id.eq(RowId::from(partner.id)))
            .filter(accounts::id.eq(RowId::from(id)))
            .get_result::<AccountWithKey>(lease.conn()?)
            .await;
        let found = lease.settle(found.optional())?;
        found
            .map(|(row, email, key)| row.into_account(email, key))
            .transpose()
    }

    async fn with_external_id(
        &self,
        partner: PartnerScope,
        external_id: &Line<255>,
    ) -> Result<Option<Account>, StoreError> {
        let mut lease = self.pool.read().await?;
        let found = with_key()
            .filter(accounts::partner_id.eq(RowId::from(partner.id)))
            .filter(accounts::external_id.eq(external_id.as_str()))
            .get_result::<AccountWithKey>(lease.conn()?)
            .await;
        let found = lease.settle(found.optional())?;
        found
            .map(|(row, email, key)| row.into_account(email, key))
            .transpose()
    }

    async fn list(
        &self,
        partner: PartnerScope,
        limit: usize,
        offset: u64,
    ) -> Result<OffsetPage<Account>, StoreError> {
        let partner = RowId::from(partner.id);
        // Past the largest number there is nothing, as there is nothing far before it.
        let page = with_key()
            .filter(accounts::partner_id.eq(partner))
            .order(accounts::id.desc())
            .limit(i64::try_from(limit).unwrap_or(i64::MAX))
            .offset(i64::try_from(offset).unwrap_or(i64::MAX));
        let total = accounts::table
            .filter(accounts::partner_id.eq(partner))
            .count();
        let mut lease = self.pool.read().await?;
        let found = together!(lease.conn()?; page, total);
        let (rows, totals): (Vec<AccountWithKey>, Vec<i64>) = lease.settle(found)?;
        let total: i64 = totals.into_iter().sum();
        let items = rows
            .into_iter()
            .map(|(row, email, key)| row.into_account(email, key));
        Ok(OffsetPage {
            items: items.collect::<Result<_, _>>()?,
            total: u64::try_from(total).map_err(|source| StoreError::Failed(source.into()))?,
        })
    }
}
