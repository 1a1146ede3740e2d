//! Invoices of all accounts whose status changes with the date.

use ::invoices::{CandidateKey, DueDateStore, StatusCandidate, StatusChange};
use async_trait::async_trait;
use diesel::sql_types::{BigInt, Text};
use kernel::{Named as _, StoreError, StoreResult};
use store_schema::json_rows::{ValueType, json_rows};
use store_schema::rows::CandidateRow;
use store_schema::types::{Day, Instant, RowDay, RowId, RowInstant, Uid};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use super::database::Database;
use super::partitions::{self, AccountPartition};
use super::run_statements::RunStatements as _;
use crate::dialect::{self, JSON_ROWS, json_value};

#[async_trait]
impl DueDateStore for Database {
    async fn candidates(
        &self,
        latest: Date,
        after: Option<CandidateKey>,
        limit: u32,
    ) -> StoreResult<Vec<StatusCandidate>> {
        let (day, account, id) = match after {
            Some(key) => (key.status_changes_on, key.account.into(), key.id.into()),
            None => (time::macros::date!(0001 - 01 - 01), RowId(Uuid::nil()), RowId(Uuid::nil())),
        };
        let query = "SELECT i.account_id, i.id, i.status, i.invoice_date, i.due_date, i.status_changes_on, a.time_zone \
             FROM invoices AS i JOIN accounts AS a ON a.id = i.account_id \
             WHERE i.status_changes_on <= $1 AND (i.status_changes_on, i.account_id, i.id) > ($2, $3, $4) \
             ORDER BY i.status_changes_on, i.account_id, i.id LIMIT $5";
        let query = diesel::sql_query(query)
            .bind::<Day, _>(RowDay(latest))
            .bind::<Day, _>(RowDay(day))
            .bind::<Uid, _>(account)
            .bind::<Uid, _>(id)
            .bind::<BigInt, _>(i64::from(limit));
        let mut connection = self.pool.read().await?;
        let rows: Vec<CandidateRow> = connection.fetch_all(query).await?;
        rows.into_iter().map(StatusCandidate::try_from).collect()
    }

    async fn change_statuses(&self, changes: &[StatusChange], now: OffsetDateTime) -> StoreResult<u64> {
        let mut all = 0_u64;
        for (partition, changes) in
            partitions::of_batch(&self.pool, changes, |one| one.candidate.key.account.into())
        {
            let query = diesel::sql_query(changing(partition))
                .bind::<Text, _>(change_rows(&changes)?)
                .bind::<Instant, _>(RowInstant(now));
            let mut connection = self.pool.write().await?;
            let changed = connection.execute(query).await?;
            let changed = u64::try_from(changed);
            all = all.saturating_add(changed.map_err(|source| StoreError::Failed(source.into()))?);
        }
        Ok(all)
    }
}

fn change_rows(changes: &[StatusChange]) -> StoreResult<String> {
    json_rows(changes.iter().map(|change| {
        let candidate = &change.candidate;
        (
            RowId::from(candidate.key.account),
            RowId::from(candidate.key.id),
            candidate.status.as_str(),
            RowDay(candidate.invoice_date),
            RowDay(candidate.due_date),
            change.status.as_str(),
            change.status_changes_on.map(RowDay),
        )
    }))
}

/// Locks and updates the invoices that are unchanged since they were read, and skips those that are locked
/// already.
fn changing(partition: AccountPartition) -> String {
    let in_partition = partition.condition("i.account_id");
    let [account, id] = [0, 1].map(|place| json_value(place, ValueType::Uid));
    let [status_read, status] = [2, 5].map(|place| json_value(place, ValueType::Text));
    let [invoice_date, due_date, next_change] = [3, 4, 6].map(|place| json_value(place, ValueType::Day));
    let skip_locked = dialect::SKIP_LOCKED_INVOICES;
    format!(
        "WITH changes AS MATERIALIZED (SELECT i.account_id, i.id, {status} AS status, {next_change} AS status_changes_on \
         FROM {JSON_ROWS} JOIN invoices AS i ON i.account_id = {account} AND i.id = {id} AND i.status = {status_read} \
         AND i.invoice_date = {invoice_date} AND i.due_date = {due_date}{in_partition}{skip_locked}) \
         UPDATE invoices AS i SET status = changes.status, status_changes_on = changes.status_changes_on, updated_at = $2 \
         FROM changes WHERE i.account_id = changes.account_id AND i.id = changes.id{in_partition}"
    )
}
