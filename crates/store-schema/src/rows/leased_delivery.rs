//! Rows of `webhook_deliveries` that are leased for an attempt.

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Binary, Text};
use kernel::{StoreError, StoreResult};
use webhooks::{DeliveryLease, LeasedDelivery, SealedSecret};

use super::row_ref::RowRef;
use crate::types::{Instant, RowId, RowInstant, Uid};

/// A delivery with the columns that an attempt needs.
#[derive(QueryableByName)]
pub struct LeasedDeliveryRow {
    #[diesel(sql_type = Uid)]
    pub account_id: RowId,
    #[diesel(sql_type = Uid)]
    pub event_id: RowId,
    #[diesel(sql_type = Uid)]
    pub id: RowId,
    #[diesel(sql_type = Uid)]
    pub endpoint_id: RowId,
    #[diesel(sql_type = BigInt)]
    pub attempts: i64,
    #[diesel(sql_type = Instant)]
    pub due_at: RowInstant,
    #[diesel(sql_type = Text)]
    url: String,
    #[diesel(sql_type = Binary)]
    secret: Vec<u8>,
    #[diesel(sql_type = Text)]
    body: String,
}

impl TryFrom<LeasedDeliveryRow> for LeasedDelivery {
    type Error = StoreError;

    fn try_from(row: LeasedDeliveryRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "webhook_deliveries", id: row.id };
        Ok(Self {
            lease: DeliveryLease {
                account: row.account_id.id(),
                event: row.event_id.id(),
                id: row.id.id(),
                attempt: row_ref.count("attempts", row.attempts)?,
                until: row.due_at.0,
            },
            endpoint: row.endpoint_id.id(),
            url: row.url,
            secret: SealedSecret(row.secret),
            body: row.body,
        })
    }
}
