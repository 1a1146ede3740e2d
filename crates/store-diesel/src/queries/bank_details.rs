//! Bank details: entered and withdrawn inside a transaction, and read.

use async_trait::async_trait;
use diesel::dsl::{AsSelect, auto_type};
use diesel::prelude::*;
use kernel::{AccountId, Currency, EmailAddress, StoreResult, TimeZone, TokenHash};
use payments::{
    AccountBankDetails, AccountOwner, BankDetailsEntry, BankDetailsId, BankDetailsReads, BankDetailsStore,
    BankDetailsTx,
};
use store_schema::rows::BankDetailsRow;
use store_schema::schema::{accounts, bank_details, logins};
use store_schema::types::{RowId, RowInstant};
use time::OffsetDateTime;

use super::columns::columns_of;
use super::database::Database;
use super::run_statements::RunStatements as _;
use super::unit_of_work::UnitOfWork;
use crate::dialect::{Db, Locked};

#[async_trait]
impl BankDetailsStore for Database {
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn BankDetailsTx>> {
        Ok(Box::new(UnitOfWork::new(self, account)))
    }
}

#[async_trait]
impl AccountBankDetails for UnitOfWork<AccountId> {
    async fn lock(&mut self) -> StoreResult<Option<AccountOwner>> {
        let account = self.account();
        let columns = (accounts::company_name, accounts::time_zone);
        let own = Locked(accounts::table.filter(accounts::id.eq(account)).select(columns));
        let locked: Option<(String, String)> = self.tx.fetch_optional(own).await?;
        let Some((company_name, zone)) = locked else {
            return Ok(None);
        };
        // The owner's login has the id of the account.
        let query = logins::table.find((account, account)).select(logins::email);
        let email: String = self.tx.fetch_one(query).await?;
        let (email, time_zone) = (EmailAddress::from_stored(email), TimeZone::from_stored(&zone));
        Ok(Some(AccountOwner { email, company_name, time_zone }))
    }

    async fn not_withdrawn(&mut self) -> StoreResult<Vec<BankDetailsEntry>> {
        let found: Vec<BankDetailsRow> = self.tx.fetch_all(not_withdrawn(self.account())).await?;
        found.into_iter().map(BankDetailsEntry::try_from).collect()
    }

    async fn insert(&mut self, entry: &BankDetailsEntry) -> StoreResult<()> {
        let row = BankDetailsRow { account_id: self.account(), ..entry.into() };
        self.tx.execute(diesel::insert_into(bank_details::table).values(&row)).await?;
        Ok(())
    }

    async fn withdraw(&mut self, ids: &[BankDetailsId], at: OffsetDateTime) -> StoreResult<usize> {
        let ids: Vec<RowId> = ids.iter().map(|id| RowId::from(*id)).collect();
        let statement = diesel::update(bank_details::table)
            .filter(bank_details::account_id.eq(self.account()))
            .filter(bank_details::id.eq_any(ids))
            .filter(bank_details::withdrawn_at.is_null())
            .set(bank_details::withdrawn_at.eq(RowInstant(at)));
        self.tx.execute(statement).await
    }
}

/// The entries of an account that were not withdrawn, by currency and age.
#[auto_type]
fn not_withdrawn(account: RowId) -> _ {
    let columns: AsSelect<BankDetailsRow, Db> = columns_of::<BankDetailsRow>();
    bank_details::table
        .filter(bank_details::account_id.eq(account))
        .filter(bank_details::withdrawn_at.is_null())
        .order((bank_details::currency, bank_details::in_force_at, bank_details::id))
        .select(columns)
}

#[async_trait]
impl BankDetailsReads for Database {
    async fn not_withdrawn(&self, account: AccountId) -> StoreResult<Vec<BankDetailsEntry>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let found: Vec<BankDetailsRow> = connection.fetch_all(not_withdrawn(account.into())).await?;
        found.into_iter().map(BankDetailsEntry::try_from).collect()
    }

    async fn in_force(
        &self,
        account: AccountId,
        currency: Currency,
        at: OffsetDateTime,
    ) -> StoreResult<Option<BankDetailsEntry>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = bank_details::table
            .filter(bank_details::account_id.eq(RowId::from(account)))
            .filter(bank_details::currency.eq(currency.code()))
            .filter(bank_details::withdrawn_at.is_null())
            .filter(bank_details::in_force_at.le(RowInstant(at)))
            .order((bank_details::in_force_at.desc(), bank_details::id.desc()))
            .select(columns_of::<BankDetailsRow>())
            .limit(1);
        let found: Option<BankDetailsRow> = connection.fetch_optional(query).await?;
        found.map(BankDetailsEntry::try_from).transpose()
    }

    async fn by_undo_token(
        &self,
        account: AccountId,
        hash: &TokenHash,
    ) -> StoreResult<Option<BankDetailsEntry>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = bank_details::table
            .filter(bank_details::account_id.eq(RowId::from(account)))
            .filter(bank_details::undo_token_hash.eq(hash.as_bytes().as_slice()))
            .select(columns_of::<BankDetailsRow>());
        let found: Option<BankDetailsRow> = connection.fetch_optional(query).await?;
        found.map(BankDetailsEntry::try_from).transpose()
    }
}
