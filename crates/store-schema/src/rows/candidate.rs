//! Invoices whose status may change with the date.

use ::invoices::{CandidateKey, StatusCandidate};
use diesel::QueryableByName;
use diesel::sql_types::Text;
use kernel::{StoreError, StoreResult, TimeZone};

use super::row_ref::RowRef;
use crate::types::{Day, RowDay, RowId, Uid};

/// The columns of an invoice and its account that decide its status.
#[derive(Debug, QueryableByName)]
pub struct CandidateRow {
    #[diesel(sql_type = Uid)]
    account_id: RowId,
    #[diesel(sql_type = Uid)]
    id: RowId,
    #[diesel(sql_type = Text)]
    status: String,
    #[diesel(sql_type = Day)]
    invoice_date: RowDay,
    #[diesel(sql_type = Day)]
    due_date: RowDay,
    #[diesel(sql_type = Day)]
    status_changes_on: RowDay,
    #[diesel(sql_type = Text)]
    time_zone: String,
}

impl TryFrom<CandidateRow> for StatusCandidate {
    type Error = StoreError;

    fn try_from(row: CandidateRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "invoices", id: row.id };
        Ok(Self {
            key: CandidateKey {
                status_changes_on: row.status_changes_on.0,
                account: row.account_id.id(),
                id: row.id.id(),
            },
            status: row_ref.named("status", &row.status)?,
            invoice_date: row.invoice_date.0,
            due_date: row.due_date.0,
            time_zone: TimeZone::from_stored(&row.time_zone),
        })
    }
}
