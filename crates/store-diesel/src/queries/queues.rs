//! Figures of the queues, for metrics and health checks.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::RunQueryDsl;
use kernel::StoreError;
use time::OffsetDateTime;

use super::database::Database;
use super::outgoing_mail::IS_HELD;
use crate::ports::{QueueFigures, Queues};
use crate::rows::QueueFiguresRow;
use crate::types::{Instant, RowInstant};

/// Every queue: its name in the figures, its table, and the state of unfinished work, which has a partial
/// index on `due_at`.
const QUEUES: [(&str, &str, &str); 3] = [
    ("mail", "outgoing_mail", "waiting"),
    ("ledger", "ledger_tasks", "waiting"),
    ("webhooks", "webhook_deliveries", "pending"),
];

#[derive(QueryableByName)]
struct QueueRow {
    #[diesel(sql_type = Text)]
    queue: String,
}

#[async_trait]
impl Queues for Database {
    async fn figures(&self) -> Result<Vec<QueueFigures>, StoreError> {
        let each = QUEUES.map(|(queue, table, state)| {
            format!(
                "SELECT '{queue}' AS queue, count(*) AS waiting, min(due_at) AS first_due_at \
                 FROM {table} WHERE state = '{state}'"
            )
        });
        let mut lease = self.pool.read_shared().await?;
        let rows = diesel::sql_query(each.join(" UNION ALL ")).load::<QueueFiguresRow>(lease.conn()?).await;
        let rows = lease.settle(rows)?;
        rows.into_iter().map(QueueFigures::try_from).collect()
    }

    async fn overdue(&self, before: OffsetDateTime) -> Result<Vec<String>, StoreError> {
        // Mail that is held is not overdue.
        let held = format!("AND NOT {IS_HELD}");
        let each = QUEUES.map(|(queue, table, state)| {
            let held = if table == "outgoing_mail" { &*held } else { "" };
            format!(
                "SELECT '{queue}' AS queue WHERE EXISTS \
                 (SELECT 1 FROM {table} WHERE state = '{state}' AND due_at < $1 {held})"
            )
        });
        let mut lease = self.pool.read().await?;
        let rows = diesel::sql_query(each.join(" UNION ALL "))
            .bind::<Instant, _>(RowInstant(before))
            .load::<QueueRow>(lease.conn()?)
            .await;
        Ok(lease.settle(rows)?.into_iter().map(|row| row.queue).collect())
    }
}
