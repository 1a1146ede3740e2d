//! A partner's accounts inside a transaction.

use access::NewKey;
use async_trait::async_trait;
use diesel::prelude::*;
use kernel::{AccountId, EmailAddress, PartnerId, PartnerScope, SingleLine, StoreResult};
use partner_accounts::{
    Account, Accounts, InsertedAccount, PaymentSlug, PaymentSlugs, ProvisioningStore, ProvisioningTx,
    UpdatedAccount,
};
use store_schema::errors::failed;
use store_schema::rows::{AccountRow, LoginRow};
use store_schema::schema::{accounts, logins};
use store_schema::types::RowId;

use super::database::Database;
use super::endpoints::HasAccounts as _;
use super::keys;
use super::purpose::Purpose;
use super::run_statements::RunStatements as _;
use super::unit_of_work::UnitOfWork;
use super::whole_accounts::{self, AccountSelection};

#[async_trait]
impl ProvisioningStore for Database {
    async fn begin(&self, partner: PartnerScope) -> StoreResult<Box<dyn ProvisioningTx>> {
        Ok(Box::new(UnitOfWork::with_purpose(self, partner.id, Purpose::Command)))
    }
}

#[async_trait]
impl<S: Send> PaymentSlugs for UnitOfWork<S> {
    async fn taken_slugs(&mut self, names: &[PaymentSlug]) -> StoreResult<Vec<PaymentSlug>> {
        let names: Vec<&str> = names.iter().map(PaymentSlug::as_str).collect();
        let query =
            accounts::table.filter(accounts::payment_slug.eq_any(names)).select(accounts::payment_slug);
        let taken: Vec<String> = self.tx.fetch_all(query).await?;
        Ok(taken.into_iter().map(PaymentSlug::from_stored).collect())
    }
}

#[async_trait]
impl Accounts for UnitOfWork<PartnerId> {
    async fn with_external_id(&mut self, external_id: &SingleLine<255>) -> StoreResult<Option<Account>> {
        whole_accounts::read(&mut self.tx, AccountSelection::WithExternalId(self.scope, external_id)).await
    }

    async fn email_is_taken(&mut self, email: &EmailAddress) -> StoreResult<bool> {
        let query = diesel::select(diesel::dsl::exists(
            logins::table.filter(logins::email_key.eq(email.matching_key())),
        ));
        self.tx.fetch_one(query).await
    }

    async fn insert_new(&mut self, account: &Account) -> StoreResult<InsertedAccount> {
        if account.partner != self.scope {
            return Err(failed("the account is of another partner"));
        }
        let statement =
            diesel::insert_into(accounts::table).values(AccountRow::from(account)).on_conflict_do_nothing();
        let inserted = self.tx.execute(statement).await?;
        if inserted == 0 {
            return Ok(InsertedAccount::Taken);
        }
        let statement =
            diesel::insert_into(logins::table).values(LoginRow::from(account)).on_conflict_do_nothing();
        let inserted = self.tx.execute(statement).await?;
        if inserted == 1 {
            return Ok(InsertedAccount::Done);
        }
        // Nothing references the new account yet.
        let statement = diesel::delete(accounts::table).filter(accounts::id.eq(RowId::from(account.id)));
        self.tx.execute(statement).await?;
        Ok(InsertedAccount::Taken)
    }

    async fn lock(&mut self, id: AccountId) -> StoreResult<Option<Account>> {
        // Lock first, then read in a second statement, which sees what was committed while the first waited
        // for the lock.
        if !self.scope.lock(&mut self.tx, id).await? {
            return Ok(None);
        }
        whole_accounts::read(&mut self.tx, AccountSelection::OfPartner(self.scope, id)).await
    }

    async fn update(&mut self, account: &Account) -> StoreResult<UpdatedAccount> {
        let statement = diesel::update(accounts::table)
            .filter(accounts::partner_id.eq(self.partner()))
            .filter(accounts::id.eq(RowId::from(account.id)))
            .set(AccountRow::from(account));
        let updated = self.tx.execute_unless_taken(statement).await?;
        Ok(updated.map_or(UpdatedAccount::Taken, |_one| UpdatedAccount::Done))
    }

    async fn put_key(&mut self, account: AccountId, key: &NewKey) -> StoreResult<bool> {
        let partner = self.partner();
        keys::put_account_key(&mut self.tx, Some(partner), account.into(), key).await
    }
}
