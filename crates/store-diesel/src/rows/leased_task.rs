//! Rows of `ledger_tasks` that are leased for an attempt.

use ::invoices::ledger::{LeasedTask, LedgerTask, LedgerWork};
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Nullable, Text};
use kernel::{SingleLine, StoreError};

use super::row_ref::RowRef;
use crate::types::{Instant, RowId, RowInstant, Uid};

/// A row of `ledger_tasks` that is leased for an attempt.
#[derive(Debug, QueryableByName)]
pub(crate) struct LeasedTaskRow {
    #[diesel(sql_type = Uid)]
    account_id: RowId,
    #[diesel(sql_type = Uid)]
    id: RowId,
    #[diesel(sql_type = Uid)]
    invoice_id: RowId,
    #[diesel(sql_type = Text)]
    operation: String,
    #[diesel(sql_type = Nullable<Text>)]
    ledger_invoice_id: Option<String>,
    #[diesel(sql_type = Instant)]
    queued_at: RowInstant,
    #[diesel(sql_type = BigInt)]
    attempts: i64,
}

impl TryFrom<LeasedTaskRow> for LeasedTask {
    type Error = StoreError;

    fn try_from(row: LeasedTaskRow) -> Result<Self, StoreError> {
        let place = RowRef { table: "ledger_tasks", id: row.id };
        let what = match (row.operation.as_str(), row.ledger_invoice_id) {
            ("push", None) => LedgerWork::Push,
            ("void", Some(id)) => LedgerWork::Void(SingleLine::from_stored(id)),
            _ => return Err(place.wrong("operation", "does not fit ledger_invoice_id")),
        };
        Ok(Self {
            attempt: place.count("attempts", row.attempts)?,
            work: LedgerTask {
                id: row.id.id(),
                account: row.account_id.id(),
                invoice: row.invoice_id.id(),
                what,
                queued_at: row.queued_at.0,
            },
        })
    }
}
