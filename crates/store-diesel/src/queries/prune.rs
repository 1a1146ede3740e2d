//! Deleting old deliveries with their attempts, and then the events that have no deliveries left.

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Text};
use kernel::StoreError;
use store_schema::json_rows::{Kind, json_rows};
use store_schema::types::{Instant, RowId, RowInstant, Uid};
use time::{Duration, OffsetDateTime};

use super::parts::{self, Part, Work};
use super::purpose::Purpose;
use super::run_statements::RunStatements as _;
use super::transaction::Transaction;
use crate::dialect::{self, JSON_ROWS, json_value};
use crate::pool::Pool;

pub(super) async fn prune(pool: &Pool, before: OffsetDateTime, most: u32) -> Result<u64, StoreError> {
    let (old, mut forgotten) = (first_id_after(before).0.hyphenated(), 0_usize);
    let limit = usize::try_from(most).unwrap_or(usize::MAX);
    let deliveries = format!("state <> 'pending' AND id < '{old}' AND finished_at < $1");
    for part in old_parts(pool, "webhook_deliveries", &deliveries, before, most).await? {
        forgotten = forgotten.saturating_add(forget_part(pool, part, before, most).await?);
        if forgotten >= limit {
            break;
        }
    }
    // Events are deleted only when no old delivery is left; otherwise every batch would scan the same events.
    if forgotten < limit {
        let events = format!("id < '{old}' AND happened_at < $1 AND {UNDELIVERED}");
        for part in old_parts(pool, "events AS v", &events, before, most).await? {
            let mut tx = Transaction::new(pool.clone(), Purpose::Command);
            forgotten = forgotten.saturating_add(forget_events(&mut tx, part, before, most).await?);
            tx.commit().await?;
        }
    }
    u64::try_from(forgotten).map_err(|source| StoreError::Failed(source.into()))
}

/// The parts that have old rows.
async fn old_parts(
    pool: &Pool,
    table: &str,
    condition: &str,
    before: OffsetDateTime,
    most: u32,
) -> Result<Vec<Part>, StoreError> {
    let now = RowInstant(before);
    parts::with_work(pool, &Work { table, condition, order: "id", now, most }).await
}

/// Deletes deliveries with their attempts, in one transaction.
async fn forget_part(
    pool: &Pool,
    part: Part,
    before: OffsetDateTime,
    most: u32,
) -> Result<usize, StoreError> {
    let mut tx = Transaction::new(pool.clone(), Purpose::Command);
    let deliveries = forget_deliveries(&mut tx, part, before, most).await?;
    if !deliveries.is_empty() {
        forget_attempts(&mut tx, part, &deliveries).await?;
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
struct Forgotten {
    #[diesel(sql_type = Uid)]
    account_id: RowId,
    #[diesel(sql_type = Uid)]
    id: RowId,
}

async fn forget_deliveries(
    tx: &mut Transaction,
    part: Part,
    before: OffsetDateTime,
    most: u32,
) -> Result<Vec<Forgotten>, StoreError> {
    let (of_part, skip_locked) = (part.condition("account_id"), dialect::SKIP_LOCKED);
    let statement = format!(
        "WITH old AS MATERIALIZED (SELECT account_id, event_id, id FROM webhook_deliveries \
         WHERE state <> 'pending' AND id < $1 AND finished_at < $2{of_part} ORDER BY id LIMIT $3{skip_locked}) \
         DELETE FROM webhook_deliveries WHERE (account_id, event_id, id) IN (SELECT account_id, event_id, id FROM old){of_part} \
         RETURNING account_id, id"
    );
    let query = diesel::sql_query(statement)
        .bind::<Uid, _>(first_id_after(before))
        .bind::<Instant, _>(RowInstant(before))
        .bind::<BigInt, _>(i64::from(most));
    tx.fetch_all(query).await
}

async fn forget_attempts(tx: &mut Transaction, part: Part, of: &[Forgotten]) -> Result<(), StoreError> {
    let of_part = part.condition("account_id");
    let rows = json_rows(of.iter().map(|delivery| (delivery.account_id, delivery.id)))?;
    let [account, id] = [0, 1].map(|place| json_value(place, Kind::Uid));
    let statement = format!(
        "DELETE FROM webhook_attempts \
         WHERE (account_id, delivery_id) IN (SELECT {account}, {id} FROM {JSON_ROWS}){of_part}"
    );
    tx.execute(diesel::sql_query(statement).bind::<Text, _>(rows)).await?;
    Ok(())
}

/// The event has no delivery left.
const UNDELIVERED: &str = "NOT EXISTS (SELECT 1 FROM webhook_deliveries AS d \
     WHERE d.account_id = v.account_id AND d.event_id = v.id)";

async fn forget_events(
    tx: &mut Transaction,
    part: Part,
    before: OffsetDateTime,
    most: u32,
) -> Result<usize, StoreError> {
    let (of_part, skip_locked) = (part.condition("account_id"), dialect::SKIP_LOCKED);
    let statement = format!(
        "WITH old AS MATERIALIZED (SELECT account_id, id FROM events AS v \
         WHERE id < $1 AND happened_at < $2 AND {UNDELIVERED}{of_part} ORDER BY id LIMIT $3{skip_locked}) \
         DELETE FROM events WHERE (account_id, id) IN (SELECT account_id, id FROM old){of_part}"
    );
    let query = diesel::sql_query(statement)
        .bind::<Uid, _>(first_id_after(before))
        .bind::<Instant, _>(RowInstant(before))
        .bind::<BigInt, _>(i64::from(most));
    tx.execute(query).await
}
