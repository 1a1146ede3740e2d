//! Finishing deliveries that no lease will finish.

use diesel::sql_types::BigInt;
use diesel_async::RunQueryDsl;
use kernel::StoreError;
use time::OffsetDateTime;

use super::dialect;
use super::pool::Pool;
use crate::types::{Instant, RowInstant};

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
    let stopped = finish(pool, "stopped", NO_ENDPOINT, now, most).await?;
    // Due once more without an attempt left: what came of the last one was never heard.
    let lost = format!("attempts >= {most_attempts}");
    let abandoned = finish(pool, "abandoned", &lost, now, most).await?;
    Ok(stopped.saturating_add(abandoned))
}

async fn finish(
    pool: &Pool,
    state: &str,
    which: &str,
    now: OffsetDateTime,
    most: u32,
) -> Result<u64, StoreError> {
    let statement = format!(
        "WITH ending AS MATERIALIZED (SELECT account_id, event_id, id FROM webhook_deliveries AS d \
         WHERE state = 'pending' AND due_at <= $1 AND {which} ORDER BY due_at LIMIT $2{}) \
         UPDATE webhook_deliveries SET state = '{state}', finished_at = $1 \
         WHERE (account_id, event_id, id) IN (SELECT account_id, event_id, id FROM ending)",
        dialect::SKIP_LOCKED,
    );
    let mut connection = pool.write().await?;
    let finished = diesel::sql_query(statement)
        .bind::<Instant, _>(RowInstant(now))
        .bind::<BigInt, _>(i64::from(most))
        .execute(connection.conn()?)
        .await;
    let finished = connection.settle(finished)?;
    u64::try_from(finished).map_err(|source| StoreError::Failed(source.into()))
}
