//! An account, changed by its owner.

use access::NewKey;
use async_trait::async_trait;
use diesel::prelude::*;
use kernel::{AccountId, Commit as _, StoreResult};
use mail::SilencedNotices;
use partner_accounts::{
    Account, AccountLogos, OwnAccount, OwnAccountStore, OwnAccountTx, PaymentSlugs, UpdatedAccount,
};
use store_schema::errors::failed;
use store_schema::rows::{AccountRow, silenced_from_row, silenced_to_row};
use store_schema::schema::accounts;
use store_schema::types::RowId;

use super::database::Database;
use super::endpoints::HasAccounts as _;
use super::keys;
use super::purpose::Purpose;
use super::run_statements::RunStatements as _;
use super::unit_of_work::{UnitOfWork, parts};
use super::whole_accounts::{self, AccountSelection};

#[async_trait]
impl OwnAccountStore for Database {
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn OwnAccountTx>> {
        Ok(Box::new(UnitOfWork::with_purpose(self, account, Purpose::Command)))
    }

    async fn get(&self, account: AccountId) -> StoreResult<Option<Account>> {
        let mut connection = self.pool.read().await?;
        whole_accounts::read(&mut connection, AccountSelection::Any(account)).await
    }

    async fn silenced(&self, account: AccountId) -> StoreResult<Option<SilencedNotices>> {
        let mut connection = self.pool.read().await?;
        let query =
            accounts::table.filter(accounts::id.eq(RowId::from(account))).select(accounts::silenced_notices);
        let found: Option<i16> = connection.fetch_optional(query).await?;
        Ok(found.map(silenced_from_row))
    }

    async fn silence(
        &self,
        account: AccountId,
        from: SilencedNotices,
        to: SilencedNotices,
    ) -> StoreResult<bool> {
        let mut work = UnitOfWork::with_purpose(self, account, Purpose::Command);
        let statement = diesel::update(accounts::table)
            .filter(accounts::id.eq(RowId::from(account)))
            .filter(accounts::silenced_notices.eq(silenced_to_row(from)))
            .set(accounts::silenced_notices.eq(silenced_to_row(to)));
        let is_set = work.tx.execute(statement).await? == 1;
        // Without a change there is no audit entry to write.
        if is_set && from != to {
            Box::new(work).commit().await?;
        }
        Ok(is_set)
    }
}

impl OwnAccountTx for UnitOfWork<AccountId> {
    parts!(own_account: OwnAccount, slugs: PaymentSlugs, logos: AccountLogos);
}

#[async_trait]
impl OwnAccount for UnitOfWork<AccountId> {
    async fn lock(&mut self) -> StoreResult<Option<Account>> {
        // Lock first, then read in a second statement, which sees what was committed while the first waited
        // for the lock.
        if !self.scope.lock(&mut self.tx, self.scope).await? {
            return Ok(None);
        }
        whole_accounts::read(&mut self.tx, AccountSelection::Any(self.scope)).await
    }

    async fn update(&mut self, account: &Account) -> StoreResult<UpdatedAccount> {
        if account.id != self.scope {
            return Err(failed("the account is another one"));
        }
        let statement = diesel::update(accounts::table)
            .filter(accounts::id.eq(self.account()))
            .set(AccountRow::from(account));
        let updated = self.tx.execute_unless_taken(statement).await?;
        Ok(updated.map_or(UpdatedAccount::Taken, |_one| UpdatedAccount::Done))
    }

    async fn put_key(&mut self, key: &NewKey) -> StoreResult<bool> {
        let account = self.account();
        keys::put_account_key(&mut self.tx, None, account, key).await
    }
}
