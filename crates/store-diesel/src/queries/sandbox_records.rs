//! The checkouts of the sandbox.

use ::payments::SandboxRecords;
use async_trait::async_trait;
use diesel::prelude::*;
use kernel::{AccountId, StoreResult};
use store_schema::schema::sandbox_checkouts as table;
use store_schema::types::{RowId, RowInstant};
use time::OffsetDateTime;

use super::database::Database;
use super::purpose::Purpose;
use super::run_statements::RunStatements as _;
use super::transaction::Transaction;

#[async_trait]
impl SandboxRecords for Database {
    async fn read(&self, account: AccountId, id: &str) -> StoreResult<Option<String>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = table::table.find((RowId::from(account), id)).select(table::content);
        connection.fetch_optional(query).await
    }

    async fn write(
        &self,
        account: AccountId,
        id: &str,
        before: Option<&str>,
        text: &str,
        now: OffsetDateTime,
    ) -> StoreResult<bool> {
        let mut tx = Transaction::new(self.pool.of(account.into()).into_owned(), Purpose::Request);
        let written = match before {
            Some(before) => {
                let update = diesel::update(table::table.find((RowId::from(account), id)))
                    .filter(table::content.eq(before))
                    .set((table::content.eq(text), table::written_at.eq(RowInstant(now))));
                tx.execute(update).await?
            }
            None => {
                let row = (
                    table::account_id.eq(RowId::from(account)),
                    table::id.eq(id),
                    table::content.eq(text),
                    table::written_at.eq(RowInstant(now)),
                );
                let insert = diesel::insert_into(table::table).values(row).on_conflict_do_nothing();
                tx.execute(insert).await?
            }
        };
        tx.commit().await?;
        Ok(written > 0)
    }

    async fn written_since(&self, account: AccountId, since: OffsetDateTime) -> StoreResult<Vec<String>> {
        let mut connection = self.pool.of(account.into()).read_shared().await?;
        let query = table::table
            .filter(table::account_id.eq(RowId::from(account)))
            .filter(table::written_at.ge(RowInstant(since)))
            .order(table::written_at)
            .select(table::content);
        connection.fetch_all(query).await
    }
}
