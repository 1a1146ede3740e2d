//! Finishing pending deliveries that no lease will finish.

use diesel::QueryableByName;
use diesel::sql_types::BigInt;
use kernel::{StoreError, StoreResult};
use store_schema::types::{Instant, RowId, RowInstant, Uid};
use time::OffsetDateTime;

use super::abandoned;
use super::partitions::{self, AccountPartition, WorkSearch};
use super::purpose::Purpose;
use super::run_statements::RunStatements as _;
use super::transaction::Transaction;
use crate::dialect;
use crate::pool::Pool;

/// The endpoint is deleted or disabled.
const NO_ENDPOINT: &str = "NOT EXISTS (SELECT 1 FROM webhook_endpoints AS e \
     WHERE e.account_id = d.account_id AND e.id = d.endpoint_id AND e.enabled)";

/// Finishes due deliveries, skipping rows that another transaction has locked.
pub(super) async fn finish_lost(
    pool: &Pool,
    now: OffsetDateTime,
    max_attempts: u32,
    limit: u32,
) -> StoreResult<u64> {
    // Deliveries to disabled endpoints are stopped first, whatever else applies to them.
    let mut finished = 0_usize;
    for partition in ending(pool, NO_ENDPOINT, now, limit).await? {
        let mut tx = Transaction::new(pool.clone(), Purpose::Batch);
        let stopped = finish(&mut tx, partition, ("stopped", NO_ENDPOINT), now, limit).await?;
        tx.commit().await?;
        finished = finished.saturating_add(stopped.len());
    }
    // Due again with no attempt left: the outcome of the last attempt was never recorded.
    let lost = format!("attempts >= {max_attempts}");
    for partition in ending(pool, &lost, now, limit).await? {
        let mut tx = Transaction::new(pool.clone(), Purpose::Batch);
        let given_up = finish(&mut tx, partition, ("abandoned", &lost), now, limit).await?;
        finished = finished.saturating_add(given_up.len());
        let given_up =
            given_up.into_iter().map(|row| (row.account_id, row.event_id, row.id, RowInstant(now)));
        abandoned::mail_owners(&mut tx, partition, given_up.collect()).await?;
        tx.commit().await?;
    }
    u64::try_from(finished).map_err(|source| StoreError::Failed(source.into()))
}

/// A finished delivery.
#[derive(QueryableByName)]
struct Finished {
    #[diesel(sql_type = Uid)]
    account_id: RowId,
    #[diesel(sql_type = Uid)]
    event_id: RowId,
    #[diesel(sql_type = Uid)]
    id: RowId,
}

/// The partitions that have a delivery which meets the condition.
async fn ending(
    pool: &Pool,
    which: &str,
    now: OffsetDateTime,
    limit: u32,
) -> StoreResult<Vec<AccountPartition>> {
    let condition = format!("state = 'pending' AND due_at <= $1 AND {which}");
    let (table, now) = ("webhook_deliveries AS d", RowInstant(now));
    partitions::with_work(pool, &WorkSearch { table, condition: &condition, order: "due_at", now, limit })
        .await
}

async fn finish(
    tx: &mut Transaction,
    partition: AccountPartition,
    (state, which): (&str, &str),
    now: OffsetDateTime,
    limit: u32,
) -> StoreResult<Vec<Finished>> {
    let (in_partition, skip_locked) = (partition.condition("account_id"), dialect::SKIP_LOCKED);
    let statement = format!(
        "WITH ending AS MATERIALIZED (SELECT account_id, event_id, id FROM webhook_deliveries AS d \
         WHERE state = 'pending' AND due_at <= $1 AND {which}{in_partition} ORDER BY due_at LIMIT $2{skip_locked}) \
         UPDATE webhook_deliveries SET state = '{state}', finished_at = $1 \
         WHERE (account_id, event_id, id) IN (SELECT account_id, event_id, id FROM ending){in_partition} \
         RETURNING account_id, event_id, id"
    );
    let query =
        diesel::sql_query(statement).bind::<Instant, _>(RowInstant(now)).bind::<BigInt, _>(i64::from(limit));
    tx.fetch_all(query).await
}
