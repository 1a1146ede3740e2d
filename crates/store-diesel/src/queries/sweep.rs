//! Finishing deliveries that no lease will finish.

use diesel::QueryableByName;
use diesel::sql_types::BigInt;
use diesel_async::RunQueryDsl;
use kernel::StoreError;
use time::OffsetDateTime;

use super::abandoned;
use super::dialect;
use super::pool::Pool;
use super::purpose::Purpose;
use super::transaction::Transaction;
use crate::types::{Instant, RowId, RowInstant, Uid};

/// The endpoint is deleted or disabled.
const NO_ENDPOINT: &str = "NOT EXISTS (SELECT 1 FROM webhook_endpoints AS e \
     WHERE e.account_id = d.account_id AND e.id = d.endpoint_id AND e.enabled)";

/// Finishes what is due, locking nothing that another transaction has locked.
pub(super) async fn sweep(
    pool: &Pool,
    now: OffsetDateTime,
    most_attempts: u32,
    most: u32,
) -> Result<u64, StoreError> {
    // What is off is stopped, whatever else may be said of it.
    let mut tx = Transaction::new(pool.clone(), Purpose::Batch);
    let stopped = finish(&mut tx, "stopped", NO_ENDPOINT, now, most).await?.len();
    tx.commit().await?;
    // Due once more without an attempt left: what came of the last one was never heard.
    let lost = format!("attempts >= {most_attempts}");
    let mut tx = Transaction::new(pool.clone(), Purpose::Batch);
    let given_up = finish(&mut tx, "abandoned", &lost, now, most).await?;
    let finished = stopped.saturating_add(given_up.len());
    let given_up = given_up.into_iter().map(|row| (row.account_id, row.event_id, row.id, RowInstant(now)));
    abandoned::mail_owners(&mut tx, given_up.collect()).await?;
    tx.commit().await?;
    u64::try_from(finished).map_err(|source| StoreError::Failed(source.into()))
}

/// A delivery that was finished.
#[derive(QueryableByName)]
struct Finished {
    #[diesel(sql_type = Uid)]
    account_id: RowId,
    #[diesel(sql_type = Uid)]
    event_id: RowId,
    #[diesel(sql_type = Uid)]
    id: RowId,
}

async fn finish(
    tx: &mut Transaction,
    state: &str,
    which: &str,
    now: OffsetDateTime,
    most: u32,
) -> Result<Vec<Finished>, StoreError> {
    let statement = format!(
        "WITH ending AS MATERIALIZED (SELECT account_id, event_id, id FROM webhook_deliveries AS d \
         WHERE state = 'pending' AND due_at <= $1 AND {which} ORDER BY due_at LIMIT $2{}) \
         UPDATE webhook_deliveries SET state = '{state}', finished_at = $1 \
         WHERE (account_id, event_id, id) IN (SELECT account_id, event_id, id FROM ending) \
         RETURNING account_id, event_id, id",
        dialect::SKIP_LOCKED,
    );
    let finished = diesel::sql_query(statement)
        .bind::<Instant, _>(RowInstant(now))
        .bind::<BigInt, _>(i64::from(most))
        .load::<Finished>(tx.conn().await?)
        .await;
    tx.settle(finished)
}
