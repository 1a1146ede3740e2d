//! Figures of the queues, for metrics and health checks.

use async_trait::async_trait;
use diesel_async::RunQueryDsl;
use kernel::StoreError;

use super::database::Database;
use crate::ports::{QueueFigures, Queues};
use crate::rows::QueueFiguresRow;

/// Every queue: its name in the figures, its table, and the state of unfinished work, which has a partial
/// index on `due_at`.
const QUEUES: [(&str, &str, &str); 3] = [
    ("mail", "outgoing_mail", "waiting"),
    ("ledger", "ledger_tasks", "waiting"),
    ("webhooks", "webhook_deliveries", "pending"),
];

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
        let rows = diesel::sql_query(each.join(" UNION ALL "))
            .load::<QueueFiguresRow>(lease.conn()?)
            .await;
        let rows = lease.settle(rows)?;
        rows.into_iter().map(QueueFigures::try_from).collect()
    }
}
