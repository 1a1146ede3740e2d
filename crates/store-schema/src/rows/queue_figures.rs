//! Figures of one queue.

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Nullable, Text};
use kernel::{StoreError, StoreResult};

use crate::errors::failed;
use crate::ports::QueueFigures;
use crate::types::{Instant, RowInstant};

/// The name of a queue, how many entries wait in it, and when the first of them is due.
#[derive(Debug, QueryableByName)]
pub struct QueueFiguresRow {
    #[diesel(sql_type = Text)]
    pub queue: String,
    #[diesel(sql_type = BigInt)]
    waiting: i64,
    #[diesel(sql_type = Nullable<Instant>)]
    pub first_due_at: Option<RowInstant>,
}

impl TryFrom<QueueFiguresRow> for QueueFigures {
    type Error = StoreError;

    fn try_from(row: QueueFiguresRow) -> StoreResult<Self> {
        Ok(Self {
            queue: row.queue,
            waiting: u64::try_from(row.waiting).map_err(|_negative| failed("a count below 0"))?,
            first_due_at: row.first_due_at.map(|at| at.0),
        })
    }
}
