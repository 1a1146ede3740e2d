//! Rows of `jobs` that are leased for an attempt.

use ::outbox::{Lease, Leased};
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Nullable, Text};
use kernel::{StoreError, StoreResult};

use super::row_ref::RowRef;
use crate::types::{Instant, RowId, RowInstant, Uid};

/// A row of `jobs` that is leased for an attempt.
#[derive(Debug, QueryableByName)]
pub struct LeasedJobRow {
    #[diesel(sql_type = Uid)]
    account_id: RowId,
    #[diesel(sql_type = Uid)]
    id: RowId,
    #[diesel(sql_type = Nullable<Text>)]
    payload: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    letterhead: Option<String>,
    #[diesel(sql_type = Instant)]
    queued_at: RowInstant,
    #[diesel(sql_type = BigInt)]
    attempts: i64,
    #[diesel(sql_type = Instant)]
    due_at: RowInstant,
}

impl TryFrom<LeasedJobRow> for Leased {
    type Error = StoreError;

    fn try_from(row: LeasedJobRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "jobs", id: row.id };
        let attempt = row_ref.count("attempts", row.attempts)?;
        Ok(Self {
            lease: Lease { id: row.id.id(), account: row.account_id.id(), attempt, ends_at: row.due_at.0 },
            queued_at: row.queued_at.0,
            letterhead: row.letterhead,
            // An empty payload: the handler gives up such a job, so that one such row does not block the
            // others.
            payload: row.payload.unwrap_or_default(),
        })
    }
}
