//! Stored logo files: which account uses which file, and which files to remove.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use kernel::{AccountId, LogoKey, StoreResult};
use partner_accounts::{AccountLogos, LogoRemovals};
use store_schema::errors::failed;
use store_schema::schema::logo_removals as removals;
use store_schema::types::{Instant, RowId, RowInstant, Uid};
use time::OffsetDateTime;

use super::database::Database;
use super::endpoints::HasAccounts;
use super::run_statements::RunStatements as _;
use super::unit_of_work::UnitOfWork;
use crate::dialect;

#[async_trait]
impl<S: HasAccounts> AccountLogos for UnitOfWork<S> {
    async fn adopt(&mut self, key: &LogoKey) -> StoreResult<bool> {
        let note =
            removals::table.filter(removals::logo_key.eq(key.as_str())).filter(removals::attempts.eq(0));
        let adopted = self.tx.execute(diesel::delete(note)).await?;
        Ok(adopted == 1)
    }

    async fn discard(&mut self, account: AccountId, key: &LogoKey, now: OffsetDateTime) -> StoreResult<()> {
        let outside = || failed("the account is not in the scope of the transaction");
        self.scope.lock(&mut self.tx, account).await?.then_some(()).ok_or_else(outside)?;
        // Only if the account uses the file. SQLite numbers parameters in the order in which they appear.
        let statement = diesel::sql_query(
            "INSERT INTO logo_removals (logo_key, due_at) \
             SELECT logo_key, $1 FROM accounts WHERE id = $2 AND logo_key = $3",
        )
        .bind::<Instant, _>(RowInstant(now))
        .bind::<Uid, _>(RowId::from(account))
        .bind::<Text, _>(key.as_str());
        let noted = self.tx.execute(statement).await?;
        match noted {
            1 => Ok(()),
            _ => Err(failed("the account does not have this logo")),
        }
    }
}

/// A file whose removal has begun.
#[derive(QueryableByName)]
struct BegunRow {
    #[diesel(sql_type = Text)]
    logo_key: String,
}

#[async_trait]
impl LogoRemovals for Database {
    async fn schedule(&self, key: &LogoKey, due_at: OffsetDateTime) -> StoreResult<()> {
        let note = (removals::logo_key.eq(key.as_str()), removals::due_at.eq(RowInstant(due_at)));
        let mut connection = self.pool.write().await?;
        connection.execute(diesel::insert_into(removals::table).values(note)).await?;
        Ok(())
    }

    async fn begin(
        &self,
        now: OffsetDateTime,
        until: OffsetDateTime,
        limit: u32,
    ) -> StoreResult<Vec<LogoKey>> {
        let skip_locked = dialect::SKIP_LOCKED;
        let query = diesel::sql_query(format!(
            "WITH due AS MATERIALIZED (SELECT logo_key FROM logo_removals WHERE due_at <= $1 ORDER BY due_at LIMIT $2{skip_locked}) \
             UPDATE logo_removals SET attempts = attempts + 1, due_at = $3 \
             WHERE logo_key IN (SELECT logo_key FROM due) RETURNING logo_key"
        ))
        .bind::<Instant, _>(RowInstant(now))
        .bind::<BigInt, _>(i64::from(limit))
        .bind::<Instant, _>(RowInstant(until));
        let mut connection = self.pool.write().await?;
        let begun: Vec<BegunRow> = connection.fetch_all(query).await?;
        let keys = begun.into_iter().map(|row| LogoKey::from_stored(row.logo_key));
        Ok(keys.collect())
    }

    async fn done(&self, key: &LogoKey) -> StoreResult<()> {
        let mut connection = self.pool.write().await?;
        let statement = diesel::delete(removals::table.filter(removals::logo_key.eq(key.as_str())));
        connection.execute(statement).await?;
        Ok(())
    }
}
