//! How the queues stand, for those who watch over the service.

use async_trait::async_trait;
use diesel_async::RunQueryDsl;
use kernel::StoreError;

use super::Database;
use crate::ports::{QueueFigures, Queues};
use crate::rows::QueueFiguresRow;

/// Every queue: its name in figures, and its table. Each has an index on `due_at` of what is `waiting`, and nothing else is read.
const QUEUES: [(&str, &str); 2] = [("mail", "outgoing_mail"), ("ledger", "ledger_tasks")];

#[async_trait]
impl Queues for Database {
    async fn figures(&self) -> Result<Vec<QueueFigures>, StoreError> {
        let each = QUEUES.map(|(queue, table)| {
            format!(
                "SELECT '{queue}' AS queue, count(*) AS waiting, min(due_at) AS first_due_at \
                 FROM {table} WHERE state = 'waiting'"
            )
        });
        let mut lease = self.pool.read().await?;
        let rows = diesel::sql_query(each.join(" UNION ALL "))
            .load::<QueueFiguresRow>(lease.conn()?)
            .await;
        let rows = lease.settle(rows)?;
        rows.into_iter().map(QueueFigures::try_from).collect()
    }
}
