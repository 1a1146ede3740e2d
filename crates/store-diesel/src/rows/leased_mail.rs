//! Rows of `outgoing_mail` that are leased for an attempt.

use ::mail::{LeasedMail, QueuedMail};
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Nullable, Text};
use kernel::{EmailAddress, StoreError};

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
    #[diesel(sql_type = Text)]
    template: String,
    #[diesel(sql_type = Text)]
    recipient: String,
    #[diesel(sql_type = Nullable<Text>)]
    payload: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    letterhead: Option<String>,
    #[diesel(sql_type = Instant)]
    queued_at: RowInstant,
    #[diesel(sql_type = BigInt)]
    attempts: i64,
}

impl TryFrom<LeasedMailRow> for LeasedMail {
    type Error = StoreError;

    fn try_from(row: LeasedMailRow) -> Result<Self, StoreError> {
        let place = RowRef { table: "outgoing_mail", id: row.id };
        Ok(Self {
            attempt: place.count("attempts", row.attempts)?,
            work: QueuedMail {
                id: row.id.id(),
                account: row.account_id.id(),
                resource_id: row.resource_id.map(|id| id.0),
                template: row.template,
                to: EmailAddress::from_stored(row.recipient),
                // The template refuses a payload that is missing, so that one such row does not hold up the
                // others.
                payload: row.payload.unwrap_or_default(),
                letterhead: row.letterhead,
                queued_at: row.queued_at.0,
            },
        })
    }
}
