//! Reading a partner's accounts.

use async_trait::async_trait;
use diesel::dsl::{AsSelect, auto_type};
use diesel::prelude::*;
use kernel::{AccountId, OffsetPage, PartnerScope, SingleLine, StoreError};
use partner_accounts::{Account, AccountReads};

use super::columns::columns_of;
use super::database::Database;
use super::dialect::{Db, together};
use crate::rows::{AccountRow, LiveKeyRow, WholeAccountRow, whole_account};
use crate::schema::{account_keys, accounts, logins, webhook_endpoints};
use crate::types::RowId;

/// Accounts with their owner's e-mail address, their active key and the URL of their enabled provisioned
/// endpoint, at most one of each.
#[auto_type]
pub(super) fn whole() -> _ {
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

#[async_trait]
impl AccountReads for Database {
    async fn get(&self, partner: PartnerScope, id: AccountId) -> Result<Option<Account>, StoreError> {
        let mut connection = self.pool.read().await?;
        let query = whole()
            .filter(accounts::partner_id.eq(RowId::from(partner.id)))
            .filter(accounts::id.eq(RowId::from(id)));
        let found: Option<WholeAccountRow> = connection.fetch_optional(query).await?;
        found.map(whole_account).transpose()
    }

    async fn with_external_id(
        &self,
        partner: PartnerScope,
        external_id: &SingleLine<255>,
    ) -> Result<Option<Account>, StoreError> {
        let mut connection = self.pool.read().await?;
        let query = whole()
            .filter(accounts::partner_id.eq(RowId::from(partner.id)))
            .filter(accounts::external_id.eq(external_id.as_str()));
        let found: Option<WholeAccountRow> = connection.fetch_optional(query).await?;
        found.map(whole_account).transpose()
    }

    async fn list(
        &self,
        partner: PartnerScope,
        limit: usize,
        offset: u64,
    ) -> Result<OffsetPage<Account>, StoreError> {
        let partner = RowId::from(partner.id);
        // An offset beyond the range of i64 is past every row, as the largest i64 is.
        let page = whole()
            .filter(accounts::partner_id.eq(partner))
            .order(accounts::id.desc())
            .limit(i64::try_from(limit).unwrap_or(i64::MAX))
            .offset(i64::try_from(offset).unwrap_or(i64::MAX));
        let total = accounts::table.filter(accounts::partner_id.eq(partner)).count();
        let mut connection = self.pool.read().await?;
        let found = together!(connection.conn()?; page, total);
        let (rows, totals): (Vec<WholeAccountRow>, Vec<i64>) = connection.settle(found)?;
        let total: i64 = totals.into_iter().sum();
        let items = rows.into_iter().map(whole_account);
        Ok(OffsetPage {
            items: items.collect::<Result<_, _>>()?,
            total: u64::try_from(total).map_err(|source| StoreError::Failed(source.into()))?,
        })
    }
}
