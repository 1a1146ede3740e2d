//! Promises and replaced tokens inside a transaction.

use ::invoices::{InvoiceId, PayToken, PayTokens, Promise, PromiseId, PromiseLimits, Promises};
use async_trait::async_trait;
use diesel::prelude::*;
use kernel::{AccountId, StoreResult};
use store_schema::rows::PromiseRow;
use store_schema::schema::{accounts, promises, replaced_pay_tokens};
use store_schema::types::{RowId, RowInstant};
use time::OffsetDateTime;
use uuid::Uuid;

use super::columns::columns_of;
use super::database::Database;
use super::owner_settings;
use super::run_statements::RunStatements as _;
use super::unit_of_work::UnitOfWork;

#[async_trait]
impl Promises for UnitOfWork<AccountId> {
    async fn latest(&mut self, invoice: InvoiceId) -> StoreResult<Option<Promise>> {
        let query = promises::table
            .filter(promises::account_id.eq(self.account()))
            .filter(promises::invoice_id.eq(RowId::from(invoice)))
            .filter(promises::superseded_at.is_null())
            .select(columns_of::<PromiseRow>());
        let found: Option<PromiseRow> = self.tx.fetch_optional(query).await?;
        found.map(Promise::try_from).transpose()
    }

    async fn insert(&mut self, promise: &Promise) -> StoreResult<()> {
        let row = PromiseRow::new(self.scope, promise);
        self.tx.execute(diesel::insert_into(promises::table).values(&row)).await?;
        Ok(())
    }

    async fn supersede(&mut self, id: PromiseId, at: OffsetDateTime) -> StoreResult<()> {
        let statement = diesel::update(promises::table.find((self.account(), RowId::from(id))))
            .set(promises::superseded_at.eq(RowInstant(at)));
        self.tx.execute(statement).await?;
        Ok(())
    }

    async fn withdraw(&mut self, invoice: InvoiceId, message: Uuid, at: OffsetDateTime) -> StoreResult<bool> {
        let (account, at) = (self.account(), RowInstant(at));
        let in_force = promises::table
            .filter(promises::account_id.eq(account))
            .filter(promises::invoice_id.eq(RowId::from(invoice)))
            .filter(promises::message_id.eq(RowId(message)))
            .filter(promises::superseded_at.is_null());
        self.tx.execute(diesel::update(in_force).set(promises::superseded_at.eq(at))).await?;
        let of_message = promises::table
            .filter(promises::account_id.eq(account))
            .filter(promises::invoice_id.eq(RowId::from(invoice)))
            .filter(promises::message_id.eq(RowId(message)))
            .filter(promises::withdrawn_at.is_null());
        let withdrawn = diesel::update(of_message).set(promises::withdrawn_at.eq(at));
        Ok(self.tx.execute(withdrawn).await? > 0)
    }

    async fn restore(&mut self, invoice: InvoiceId) -> StoreResult<()> {
        let superseded_last = promises::table
            .filter(promises::account_id.eq(self.account()))
            .filter(promises::invoice_id.eq(RowId::from(invoice)))
            .filter(promises::withdrawn_at.is_null())
            .order((promises::superseded_at.desc(), promises::made_at.desc(), promises::id.desc()))
            .select(promises::id);
        let found: Option<RowId> = self.tx.fetch_optional(superseded_last.limit(1)).await?;
        if let Some(id) = found {
            let statement = diesel::update(promises::table.find((self.account(), id)))
                .set(promises::superseded_at.eq(None::<RowInstant>));
            self.tx.execute(statement).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl PayTokens for UnitOfWork<AccountId> {
    async fn insert_replaced(
        &mut self,
        invoice: InvoiceId,
        token: &PayToken,
        at: OffsetDateTime,
    ) -> StoreResult<()> {
        let row = (
            replaced_pay_tokens::account_id.eq(self.account()),
            replaced_pay_tokens::pay_token.eq(token.reveal()),
            replaced_pay_tokens::invoice_id.eq(RowId::from(invoice)),
            replaced_pay_tokens::replaced_at.eq(RowInstant(at)),
        );
        self.tx.execute(diesel::insert_into(replaced_pay_tokens::table).values(row)).await?;
        Ok(())
    }
}

#[async_trait]
impl PromiseLimits for Database {
    async fn promise_days(&self, account: AccountId) -> StoreResult<u16> {
        let mut connection = self.pool.read().await?;
        let query =
            accounts::table.filter(accounts::id.eq(RowId::from(account))).select(accounts::promise_days);
        let found: Option<i32> = connection.fetch_optional(query).await?;
        found.map_or(Ok(0), owner_settings::days_of)
    }
}
