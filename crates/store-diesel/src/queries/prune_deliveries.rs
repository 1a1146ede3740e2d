//! Deleting old deliveries with their attempts, and then the events that have no deliveries left.

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Text};
use kernel::{StoreError, StoreResult};
use store_schema::json_rows::{ValueType, json_rows};
use store_schema::types::{Instant, RowId, RowInstant, Uid};
use time::{Duration, OffsetDateTime};

use super::partitions::{self, AccountPartition, WorkSearch};
use super::purpose::Purpose;
use super::run_statements::RunStatements as _;
use super::transaction::Transaction;
use crate::dialect::{self, JSON_ROWS, json_value};
use crate::pool::Pool;

pub(super) async fn prune(pool: &Pool, before: OffsetDateTime, limit: u32) -> StoreResult<u64> {
    let (old, mut pruned) = (dialect::uid_literal(first_id_after(before)), 0_usize);
    let max_events = usize::try_from(limit).unwrap_or(usize::MAX);
    let deliveries = format!("state <> 'pending' AND id < {old} AND finished_at < $1");
    for partition in old_partitions(pool, "webhook_deliveries", &deliveries, before, limit).await? {
        pruned = pruned.saturating_add(prune_partition(pool, partition, before, limit).await?);
        if pruned >= max_events {
            break;
        }
    }
    // Events are deleted only when no old delivery is left; otherwise every batch would scan the same events.
    if pruned < max_events {
        let events = format!("id < {old} AND happened_at < $1 AND {UNDELIVERED}");
        for partition in old_partitions(pool, "events AS v", &events, before, limit).await? {
            let mut tx = Transaction::new(pool.clone(), Purpose::Command);
            pruned = pruned.saturating_add(prune_events(&mut tx, partition, before, limit).await?);
            tx.commit().await?;
        }
    }
    u64::try_from(pruned).map_err(|source| StoreError::Failed(source.into()))
}

/// The partitions that have old rows.
async fn old_partitions(
    pool: &Pool,
    table: &str,
    condition: &str,
    before: OffsetDateTime,
    limit: u32,
) -> StoreResult<Vec<AccountPartition>> {
    let now = RowInstant(before);
    partitions::with_work(pool, &WorkSearch { table, condition, order: "id", now, limit }).await
}

/// Deletes deliveries with their attempts, in one transaction.
async fn prune_partition(
    pool: &Pool,
    partition: AccountPartition,
    before: OffsetDateTime,
    limit: u32,
) -> StoreResult<usize> {
    let mut tx = Transaction::new(pool.clone(), Purpose::Command);
    let deliveries = prune_deliveries(&mut tx, partition, before, limit).await?;
    if !deliveries.is_empty() {
        prune_attempts(&mut tx, partition, &deliveries).await?;
    }
    tx.commit().await?;
    Ok(deliveries.len())
}

/// An id that is greater than every id made before the instant.
fn first_id_after(instant: OffsetDateTime) -> RowId {
    RowId::first_at(instant.saturating_add(Duration::MILLISECOND))
}

/// A deleted delivery.
#[derive(QueryableByName)]
struct Pruned {
    #[diesel(sql_type = Uid)]
    account_id: RowId,
    #[diesel(sql_type = Uid)]
    id: RowId,
}

async fn prune_deliveries(
    tx: &mut Transaction,
    partition: AccountPartition,
    before: OffsetDateTime,
    limit: u32,
) -> StoreResult<Vec<Pruned>> {
    let (in_partition, skip_locked) = (partition.condition("account_id"), dialect::SKIP_LOCKED);
    let statement = format!(
        "WITH old AS MATERIALIZED (SELECT account_id, event_id, id FROM webhook_deliveries \
         WHERE state <> 'pending' AND id < $1 AND finished_at < $2{in_partition} ORDER BY id LIMIT $3{skip_locked}) \
         DELETE FROM webhook_deliveries WHERE (account_id, event_id, id) IN (SELECT account_id, event_id, id FROM old){in_partition} \
         RETURNING account_id, id"
    );
    let query = diesel::sql_query(statement)
        .bind::<Uid, _>(first_id_after(before))
        .bind::<Instant, _>(RowInstant(before))
        .bind::<BigInt, _>(i64::from(limit));
    tx.fetch_all(query).await
}

async fn prune_attempts(tx: &mut Transaction, partition: AccountPartition, of: &[Pruned]) -> StoreResult<()> {
    let in_partition = partition.condition("account_id");
    let rows = json_rows(of.iter().map(|delivery| (delivery.account_id, delivery.id)))?;
    let [account, id] = [0, 1].map(|place| json_value(place, ValueType::Uid));
    let statement = format!(
        "DELETE FROM webhook_attempts \
         WHERE (account_id, delivery_id) IN (SELECT {account}, {id} FROM {JSON_ROWS}){in_partition}"
    );
    tx.execute(diesel::sql_query(statement).bind::<Text, _>(rows)).await?;
    Ok(())
}

/// The event has no delivery left.
const UNDELIVERED: &str = "NOT EXISTS (SELECT 1 FROM webhook_deliveries AS d \
     WHERE d.account_id = v.account_id AND d.event_id = v.id)";

async fn prune_events(
    tx: &mut Transaction,
    partition: AccountPartition,
    before: OffsetDateTime,
    limit: u32,
) -> StoreResult<usize> {
    let (in_partition, skip_locked) = (partition.condition("account_id"), dialect::SKIP_LOCKED);
    let statement = format!(
        "WITH old AS MATERIALIZED (SELECT account_id, id FROM events AS v \
         WHERE id < $1 AND happened_at < $2 AND {UNDELIVERED}{in_partition} ORDER BY id LIMIT $3{skip_locked}) \
         DELETE FROM events WHERE (account_id, id) IN (SELECT account_id, id FROM old){in_partition}"
    );
    let query = diesel::sql_query(statement)
        .bind::<Uid, _>(first_id_after(before))
        .bind::<Instant, _>(RowInstant(before))
        .bind::<BigInt, _>(i64::from(limit));
    tx.execute(query).await
}
