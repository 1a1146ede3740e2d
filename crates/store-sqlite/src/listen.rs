//! Noticing the commits of other processes.

use std::time::Duration;

use diesel::QueryableByName;
use diesel::sql_types::BigInt;
use kernel::StoreResult;
use store_schema::delivery_notifier::DeliveryNotifier;
use tokio::time::MissedTickBehavior;

use super::pool::Pool;
use super::queries::run_statements::RunStatements as _;

/// The interval between polls.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Polls until the task is aborted.
pub(super) async fn listen(pool: Pool, delivery_notifier: DeliveryNotifier) {
    let mut seen = None;
    let mut polls = tokio::time::interval(POLL_INTERVAL);
    polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        polls.tick().await;
        // A failed read is repeated at the next poll.
        if let Ok(version) = data_version(&pool).await
            && seen.replace(version) != Some(version)
        {
            delivery_notifier.wake();
        }
    }
}

/// A number that changes when another connection commits. The writing connection is asked, so this process's
/// own commits do not count. The query needs no disk access.
async fn data_version(pool: &Pool) -> StoreResult<i64> {
    let mut connection = pool.autocommit().await?;
    let asked: StoreResult<DataVersion> =
        connection.fetch_one(diesel::sql_query("PRAGMA data_version")).await;
    asked.map(|version| version.data_version)
}

#[derive(QueryableByName)]
struct DataVersion {
    #[diesel(sql_type = BigInt)]
    data_version: i64,
}
