//! Removing message texts whose retention period has ended.

use async_trait::async_trait;
use communications::MessageRetention;
use diesel::sql_types::BigInt;
use kernel::StoreError;
use store_schema::types::{Instant, RowInstant};
use time::OffsetDateTime;

use super::database::Database;
use super::parts::{self, Part, Work};
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
        most: u32,
    ) -> Result<u64, StoreError> {
        let before = RowInstant(written_before);
        let work = Work { table: "messages", condition: OLD, order: "written_at", now: before, most };
        let mut removed = 0_u64;
        for part in parts::with_work(&self.pool, &work).await? {
            let statement = diesel::sql_query(removing(part))
                .bind::<Instant, _>(before)
                .bind::<BigInt, _>(i64::from(most))
                .bind::<Instant, _>(RowInstant(now));
            let mut connection = self.pool.write().await?;
            let count = connection.execute(statement).await?;
            let count = u64::try_from(count);
            removed = removed.saturating_add(count.map_err(|source| StoreError::Failed(source.into()))?);
            if removed >= u64::from(most) {
                break;
            }
        }
        Ok(removed)
    }
}

fn removing(part: Part) -> String {
    let of_part = part.condition("account_id");
    format!(
        "WITH old AS MATERIALIZED (SELECT account_id, id FROM messages WHERE {OLD}{of_part} \
         ORDER BY written_at LIMIT $2{SKIP_LOCKED}) \
         UPDATE messages SET subject = NULL, text = '', understood = {WITHOUT_EVIDENCE}, text_removed_at = $3 \
         WHERE (account_id, id) IN (SELECT account_id, id FROM old){of_part}"
    )
}
