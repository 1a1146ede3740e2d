//! Version, clock and counts of the database, for `doctor`.

use async_trait::async_trait;
use communications::{CONTACT_ERASED, INVOICE_CANCELLED};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Text;
use kernel::{Operator, StoreResult};
use outbox::NotDone;
use store_schema::errors::failed;
use store_schema::ports::Checkup;
use store_schema::schema::jobs;
use store_schema::types::{Instant, RowInstant};
use time::OffsetDateTime;

use super::database::Database;
use super::run_statements::RunStatements as _;
use crate::dialect;

#[async_trait]
impl Checkup for Database {
    async fn version(&self) -> StoreResult<String> {
        let mut connection = self.pool.read().await?;
        connection.fetch_one(diesel::select(sql::<Text>(dialect::VERSION))).await
    }

    async fn message_language(&self) -> StoreResult<String> {
        let mut connection = self.pool.read().await?;
        connection.fetch_one(diesel::select(sql::<Text>(dialect::MESSAGE_LANGUAGE))).await
    }

    async fn clock(&self) -> StoreResult<OffsetDateTime> {
        let mut connection = self.pool.read().await?;
        let shown: RowInstant = connection.fetch_one(diesel::select(sql::<Instant>(dialect::CLOCK))).await?;
        Ok(shown.0)
    }

    async fn unsafe_settings(&self) -> StoreResult<String> {
        let mut connection = self.pool.read().await?;
        connection.fetch_one(diesel::select(sql::<Text>(dialect::UNSAFE_SETTINGS))).await
    }

    async fn jobs_given_up_since(
        &self,
        _operator: Operator,
        kind: &'static str,
        instant: OffsetDateTime,
    ) -> StoreResult<u64> {
        let mut connection = self.pool.read().await?;
        let query = jobs::table
            .filter(jobs::kind.eq(kind))
            .filter(jobs::state.eq("given_up"))
            // A job that is given up has a reason.
            .filter(jobs::last_error.ne(CONTACT_ERASED))
            .filter(jobs::last_error.ne(INVOICE_CANCELLED))
            .filter(jobs::last_error.ne(NotDone::HELD))
            .filter(jobs::finished_at.gt(RowInstant(instant)))
            .count();
        let counted: i64 = connection.fetch_one(query).await?;
        u64::try_from(counted).map_err(|_negative| failed("a count is below 0"))
    }
}
