//! Bank details: entered and withdrawn inside a transaction, and read.

use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use kernel::{AccountId, Currency, EmailAddress, StoreError};
use payments::{
    AccountOwner, BankDetailsEntry, BankDetailsId, BankDetailsReads, BankDetailsStore, BankDetailsTx,
    HeldBankDetails, UndoTokenHash,
};
use time::OffsetDateTime;

use super::columns::columns_of;
use super::database::Database;
use super::dialect::Locked;
use super::unit_of_work::UnitOfWork;
use crate::rows::BankDetailsRow;
use crate::schema::{accounts, bank_details, logins};
use crate::types::{RowId, RowInstant};

#[async_trait]
impl BankDetailsStore for Database {
    async fn begin(&self, account: AccountId) -> Result<Box<dyn BankDetailsTx>, StoreError> {
        Ok(Box::new(UnitOfWork::new(self, account)))
    }
}

#[async_trait]
impl HeldBankDetails for UnitOfWork<AccountId> {
    async fn lock(&mut self) -> Result<Option<AccountOwner>, StoreError> {
        let account = self.account();
        let own = Locked(accounts::table.filter(accounts::id.eq(account)).select(accounts::company_name));
        let locked = own.load::<String>(self.tx.conn().await?).await;
        let Some(company_name) = self.tx.settle(locked)?.pop() else {
            return Ok(None);
        };
        // The owner's login has the id of the account.
        let email = logins::table
            .filter(logins::account_id.eq(account))
            .filter(logins::id.eq(account))
            .select(logins::email)
            .get_result::<String>(self.tx.conn().await?)
            .await;
        let email = self.tx.settle(email)?;
        Ok(Some(AccountOwner { email: EmailAddress::from_stored(email), company_name }))
    }

    async fn standing(&mut self, currency: Currency) -> Result<Vec<BankDetailsEntry>, StoreError> {
        let found = bank_details::table
            .filter(bank_details::account_id.eq(self.account()))
            .filter(bank_details::currency.eq(currency.code()))
            .filter(bank_details::withdrawn_at.is_null())
            .order((bank_details::in_force_at, bank_details::id))
            .select(columns_of::<BankDetailsRow>())
            .load::<BankDetailsRow>(self.tx.conn().await?)
            .await;
        self.tx.settle(found)?.into_iter().map(BankDetailsEntry::try_from).collect()
    }

    async fn insert(&mut self, entry: &BankDetailsEntry) -> Result<(), StoreError> {
        let row = BankDetailsRow { account_id: self.account(), ..entry.into() };
        let inserted =
            diesel::insert_into(bank_details::table).values(&row).execute(self.tx.conn().await?).await;
        self.tx.settle(inserted).map(|_one| ())
    }

    async fn withdraw(&mut self, ids: &[BankDetailsId], at: OffsetDateTime) -> Result<usize, StoreError> {
        let ids: Vec<RowId> = ids.iter().map(|id| RowId::from(*id)).collect();
        let withdrawn = diesel::update(bank_details::table)
            .filter(bank_details::account_id.eq(self.account()))
            .filter(bank_details::id.eq_any(ids))
            .filter(bank_details::withdrawn_at.is_null())
            .set(bank_details::withdrawn_at.eq(RowInstant(at)))
            .execute(self.tx.conn().await?)
            .await;
        self.tx.settle(withdrawn)
    }
}

#[async_trait]
impl BankDetailsReads for Database {
    async fn standing(&self, account: AccountId) -> Result<Vec<BankDetailsEntry>, StoreError> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let found = bank_details::table
            .filter(bank_details::account_id.eq(RowId::from(account)))
            .filter(bank_details::withdrawn_at.is_null())
            .order((bank_details::currency, bank_details::in_force_at, bank_details::id))
            .select(columns_of::<BankDetailsRow>())
            .load::<BankDetailsRow>(connection.conn()?)
            .await;
        connection.settle(found)?.into_iter().map(BankDetailsEntry::try_from).collect()
    }

    async fn in_force(
        &self,
        account: AccountId,
        currency: Currency,
        at: OffsetDateTime,
    ) -> Result<Option<BankDetailsEntry>, StoreError> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let found = bank_details::table
            .filter(bank_details::account_id.eq(RowId::from(account)))
            .filter(bank_details::currency.eq(currency.code()))
            .filter(bank_details::withdrawn_at.is_null())
            .filter(bank_details::in_force_at.le(RowInstant(at)))
            .order((bank_details::in_force_at.desc(), bank_details::id.desc()))
            .select(columns_of::<BankDetailsRow>())
            .first::<BankDetailsRow>(connection.conn()?)
            .await;
        connection.settle(found.optional())?.map(BankDetailsEntry::try_from).transpose()
    }

    async fn by_undo_token(
        &self,
        account: AccountId,
        hash: &UndoTokenHash,
    ) -> Result<Option<BankDetailsEntry>, StoreError> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let found = bank_details::table
            .filter(bank_details::account_id.eq(RowId::from(account)))
            .filter(bank_details::undo_token_hash.eq(hash.as_bytes().as_slice()))
            .select(columns_of::<BankDetailsRow>())
            .get_result::<BankDetailsRow>(connection.conn()?)
            .await;
        connection.settle(found.optional())?.map(BankDetailsEntry::try_from).transpose()
    }
}
