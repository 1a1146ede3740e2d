//! Seeing that another process has committed something.

use std::time::Duration;

use diesel::QueryableByName;
use diesel::sql_types::BigInt;
use kernel::StoreError;
use sqlite_writer::Execution;
use store_schema::delivery_notifier::DeliveryNotifier;
use tokio::time::MissedTickBehavior;

use super::pool::Pool;
use super::queries::run_statements::RunStatements as _;

/// How often is looked.
const LOOK: Duration = Duration::from_millis(20);

/// Looks until the task is ended.
pub(super) async fn listen(pool: Pool, delivery_notifier: DeliveryNotifier) {
    let mut seen = None;
    let mut looks = tokio::time::interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        looks.tick().await;
        // What cannot be read now is read the next time.
        if let Ok(version) = data_version(&pool).await
            && seen.replace(version) != Some(version)
        {
            delivery_notifier.wake();
        }
    }
}

/// A number that changes when another connection than the one that is asked commits something. The one that
/// writes is asked, so that all that this process itself commits does not count; it costs no disk access.
async fn data_version(pool: &Pool) -> Result<i64, StoreError> {
    let mut connection = pool.autocommit(Execution::CallingThread).await?;
    let asked: Result<Version, StoreError> =
        connection.fetch_one(diesel::sql_query("PRAGMA data_version")).await;
    asked.map(|version| version.data_version)
}

#[derive(QueryableByName)]
struct Version {
    #[diesel(sql_type = BigInt)]
    data_version: i64,
}
