//! Removing message texts whose retention period has ended.

use async_trait::async_trait;
use communications::MessageRetention;
use diesel::sql_types::BigInt;
use kernel::{StoreError, StoreResult};
use store_schema::types::{Instant, RowInstant};
use time::OffsetDateTime;

use super::database::Database;
use super::partitions::{self, AccountPartition, WorkSearch};
use super::run_statements::RunStatements as _;
use crate::dialect::{SKIP_LOCKED, WITHOUT_EVIDENCE};

/// An old message that still has its text. `$1` is the instant before which a message is old.
const OLD: &str = "text_removed_at IS NULL AND written_at < $1 AND state <> 'queued'";

#[async_trait]
impl MessageRetention for Database {
    async fn remove_texts(
        &self,
        written_before: OffsetDateTime,
        now: OffsetDateTime,
        limit: u32,
    ) -> StoreResult<u64> {
        let before = RowInstant(written_before);
        let work = WorkSearch { table: "messages", condition: OLD, order: "written_at", now: before, limit };
        let mut removed = 0_u64;
        for partition in partitions::with_work(&self.pool, &work).await? {
            let statement = diesel::sql_query(removing(partition))
                .bind::<Instant, _>(before)
                .bind::<BigInt, _>(i64::from(limit))
                .bind::<Instant, _>(RowInstant(now));
            let mut connection = self.pool.write().await?;
            let count = connection.execute(statement).await?;
            let count = u64::try_from(count);
            removed = removed.saturating_add(count.map_err(|source| StoreError::Failed(source.into()))?);
            if removed >= u64::from(limit) {
                break;
            }
        }
        Ok(removed)
    }
}

fn removing(partition: AccountPartition) -> String {
    let in_partition = partition.condition("account_id");
    format!(
        "WITH old AS MATERIALIZED (SELECT account_id, id FROM messages WHERE {OLD}{in_partition} \
         ORDER BY written_at LIMIT $2{SKIP_LOCKED}) \
         UPDATE messages SET subject = NULL, text = '', understood = {WITHOUT_EVIDENCE}, text_removed_at = $3 \
         WHERE (account_id, id) IN (SELECT account_id, id FROM old){in_partition}"
    )
}
