//! Forgetting what is old: deliveries with their attempts, and then the events that have none left.

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Text};
use diesel_async::RunQueryDsl;
use kernel::StoreError;
use time::{Duration, OffsetDateTime};

use super::dialect::{self, JSON_ROWS, json_value};
use super::pool::Pool;
use super::purpose::Purpose;
use super::transaction::Transaction;
use crate::json_rows::{Kind, json_rows};
use crate::types::{Instant, RowId, RowInstant, Uid};

pub(super) async fn prune(pool: &Pool, before: OffsetDateTime, most: u32) -> Result<u64, StoreError> {
    let mut tx = Transaction::new(pool.clone(), Purpose::Command);
    let deliveries = forget_deliveries(&mut tx, before, most).await?;
    let mut forgotten = deliveries.len();
    if !deliveries.is_empty() {
        forget_attempts(&mut tx, &deliveries).await?;
    }
    // Events keep until no old delivery is left: else the same ones would be looked at in every batch.
    if forgotten < usize::try_from(most).unwrap_or(usize::MAX) {
        forgotten = forgotten.saturating_add(forget_events(&mut tx, before, most).await?);
    }
    tx.commit().await?;
    u64::try_from(forgotten).map_err(|source| StoreError::Failed(source.into()))
}

/// No id that was made before an instant is as great as this one.
fn first_id_after(instant: OffsetDateTime) -> RowId {
    RowId::first_at(instant.saturating_add(Duration::MILLISECOND))
}

/// A delivery that is forgotten.
#[derive(QueryableByName)]
struct Forgotten {
    #[diesel(sql_type = Uid)]
    account_id: RowId,
    #[diesel(sql_type = Uid)]
    id: RowId,
}

async fn forget_deliveries(
    tx: &mut Transaction,
    before: OffsetDateTime,
    most: u32,
) -> Result<Vec<Forgotten>, StoreError> {
    let statement = format!(
        "WITH old AS MATERIALIZED (SELECT account_id, event_id, id FROM webhook_deliveries \
         WHERE state <> 'pending' AND id < $1 AND finished_at < $2 ORDER BY id LIMIT $3{}) \
         DELETE FROM webhook_deliveries WHERE (account_id, event_id, id) IN (SELECT account_id, event_id, id FROM old) \
         RETURNING account_id, id",
        dialect::SKIP_LOCKED,
    );
    let forgotten = diesel::sql_query(statement)
        .bind::<Uid, _>(first_id_after(before))
        .bind::<Instant, _>(RowInstant(before))
        .bind::<BigInt, _>(i64::from(most))
        .load::<Forgotten>(tx.conn().await?)
        .await;
    tx.settle(forgotten)
}

async fn forget_attempts(tx: &mut Transaction, of: &[Forgotten]) -> Result<(), StoreError> {
    let rows = json_rows(of.iter().map(|delivery| (delivery.account_id, delivery.id)))?;
    let [account, id] = [0, 1].map(|place| json_value(place, Kind::Uid));
    let statement = format!(
        "DELETE FROM webhook_attempts WHERE (account_id, delivery_id) IN (SELECT {account}, {id} FROM {JSON_ROWS})"
    );
    let forgotten = diesel::sql_query(statement).bind::<Text, _>(rows).execute(tx.conn().await?).await;
    tx.settle(forgotten).map(|_count| ())
}

async fn forget_events(tx: &mut Transaction, before: OffsetDateTime, most: u32) -> Result<usize, StoreError> {
    let statement = format!(
        "WITH old AS MATERIALIZED (SELECT account_id, id FROM events AS v \
         WHERE id < $1 AND happened_at < $2 AND NOT EXISTS (SELECT 1 FROM webhook_deliveries AS d \
         WHERE d.account_id = v.account_id AND d.event_id = v.id) ORDER BY id LIMIT $3{}) \
         DELETE FROM events WHERE (account_id, id) IN (SELECT account_id, id FROM old)",
        dialect::SKIP_LOCKED,
    );
    let forgotten = diesel::sql_query(statement)
        .bind::<Uid, _>(first_id_after(before))
        .bind::<Instant, _>(RowInstant(before))
        .bind::<BigInt, _>(i64::from(most))
        .execute(tx.conn().await?)
        .await;
    tx.settle(forgotten)
}
