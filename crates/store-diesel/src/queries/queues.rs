//! All queues: their figures, for metrics and health checks, and the removal of old jobs.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::Text;
use kernel::StoreResult;
use store_schema::ports::{QueueFigures, Queues};
use store_schema::rows::QueueFiguresRow;
use store_schema::types::{Instant, RowInstant};
use time::OffsetDateTime;

use super::database::Database;
use super::jobs::IS_HELD;
use super::old_rows::Old;
use super::run_statements::RunStatements as _;

#[derive(QueryableByName)]
struct QueueRow {
    #[diesel(sql_type = Text)]
    queue: String,
}

#[derive(QueryableByName)]
struct DueRow {
    #[diesel(sql_type = Instant)]
    due_at: RowInstant,
}

#[async_trait]
impl Queues for Database {
    async fn figures(&self) -> StoreResult<Vec<QueueFigures>> {
        // Held jobs wait too, and are not due.
        let mut connection = self.pool.read_shared().await?;
        let jobs = diesel::sql_query(
            "SELECT kind AS queue, count(*) AS waiting, min(due_at) AS first_due_at FROM jobs \
             WHERE state = 'waiting' GROUP BY kind",
        );
        let mut rows: Vec<QueueFiguresRow> = connection.fetch_all(jobs).await?;
        // Found by the index, which is read only until a job that is not held.
        let not_held = format!(
            "SELECT due_at FROM jobs WHERE state = 'waiting' AND kind = $1 AND NOT {IS_HELD} \
             ORDER BY due_at LIMIT 1"
        );
        for row in &mut rows {
            let first = diesel::sql_query(&not_held).bind::<Text, _>(row.queue.clone());
            let first: Option<DueRow> = connection.fetch_optional(first).await?;
            row.first_due_at = first.map(|first| first.due_at);
        }
        let others = diesel::sql_query(
            "SELECT 'webhooks' AS queue, count(*) AS waiting, min(due_at) AS first_due_at FROM webhook_deliveries \
             WHERE state = 'pending' HAVING count(*) > 0 \
             UNION ALL SELECT 'inbound', count(*), min(due_at) FROM inbound_messages \
             WHERE state = 'stored' HAVING count(*) > 0",
        );
        rows.extend(connection.fetch_all::<QueueFiguresRow>(others).await?);
        rows.into_iter().map(QueueFigures::try_from).collect()
    }

    async fn overdue(&self, before: OffsetDateTime) -> StoreResult<Vec<String>> {
        // A held job does not count as overdue.
        let overdue = format!(
            "SELECT DISTINCT kind AS queue FROM jobs WHERE state = 'waiting' AND due_at < $1 AND NOT {IS_HELD} \
             UNION ALL SELECT 'webhooks' WHERE EXISTS \
             (SELECT 1 FROM webhook_deliveries WHERE state = 'pending' AND due_at < $1) \
             UNION ALL SELECT 'inbound' WHERE EXISTS \
             (SELECT 1 FROM inbound_messages WHERE state = 'stored' AND due_at < $1)"
        );
        let mut connection = self.pool.read().await?;
        let query = diesel::sql_query(overdue).bind::<Instant, _>(RowInstant(before));
        let rows: Vec<QueueRow> = connection.fetch_all(query).await?;
        Ok(rows.into_iter().map(|row| row.queue).collect())
    }

    async fn prune_jobs(&self, ended_before: OffsetDateTime, limit: u32) -> StoreResult<u64> {
        let old = Old {
            table: "jobs",
            key: "account_id, id",
            condition: "state <> 'waiting' AND finished_at < $1",
            order: "finished_at",
        };
        let jobs = old.remove(&self.pool, ended_before, limit).await?;
        let old = Old {
            table: "bulk_replays",
            key: "account_id, id",
            condition: "finished_at < $1",
            order: "finished_at",
        };
        Ok(jobs.saturating_add(old.remove(&self.pool, ended_before, limit).await?))
    }
}
