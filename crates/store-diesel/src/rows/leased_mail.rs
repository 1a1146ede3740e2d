//! Rows of `outgoing_mail` that are leased for an attempt.

use ::mail::{LeasedMail, QueuedMail};
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Nullable, Text};
use kernel::StoreError;

use super::message;
use super::row_ref::RowRef;
use crate::types::{Instant, RowId, RowInstant, Uid};

/// A row of `outgoing_mail` that is leased for an attempt.
#[derive(Debug, QueryableByName)]
pub(crate) struct LeasedMailRow {
    #[diesel(sql_type = Uid)]
    account_id: RowId,
    #[diesel(sql_type = Uid)]
    id: RowId,
    #[diesel(sql_type = Nullable<Uid>)]
    resource_id: Option<RowId>,
    #[diesel(sql_type = Nullable<Text>)]
    message: Option<String>,
    #[diesel(sql_type = Instant)]
    queued_at: RowInstant,
    #[diesel(sql_type = BigInt)]
    attempts: i64,
}

impl TryFrom<LeasedMailRow> for LeasedMail {
    type Error = StoreError;

    fn try_from(row: LeasedMailRow) -> Result<Self, StoreError> {
        let place = RowRef {
            table: "outgoing_mail",
            id: row.id,
        };
        let json = row
            .message
            .ok_or_else(|| place.wrong("message", "is missing"))?;
        Ok(Self {
            attempt: place.count("attempts", row.attempts)?,
            work: QueuedMail {
                id: row.id.id(),
                account: row.account_id.id(),
                about: row.resource_id.map(|about| about.0),
                message: message::from_json(&json, place)?,
                queued_at: row.queued_at.0,
            },
        })
    }
}
