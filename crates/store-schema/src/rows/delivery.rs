//! Rows of `webhook_deliveries` and `webhook_attempts` for the log of deliveries.

use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};
use kernel::{Named as _, StoreError, StoreResult};
use time::Duration;
use webhooks::{Delivery, DeliveryAttempt, DeliveryState, EventName};

use super::row_ref::RowRef;
use crate::schema::webhook_attempts;
use crate::types::{Instant, RowId, RowInstant, Uid};

/// A delivery with its event's kind.
#[derive(Debug, QueryableByName)]
pub struct DeliveryRow {
    #[diesel(sql_type = Uid)]
    pub account_id: RowId,
    #[diesel(sql_type = Uid)]
    pub event_id: RowId,
    #[diesel(sql_type = Uid)]
    pub id: RowId,
    #[diesel(sql_type = Uid)]
    pub endpoint_id: RowId,
    #[diesel(sql_type = Text)]
    pub kind: String,
    #[diesel(sql_type = Text)]
    pub state: String,
    #[diesel(sql_type = BigInt)]
    pub attempts: i64,
    #[diesel(sql_type = Instant)]
    pub due_at: RowInstant,
    #[diesel(sql_type = Instant)]
    pub created_at: RowInstant,
    /// The URL of the delivery's endpoint, and whether it is enabled.
    #[diesel(sql_type = Text)]
    pub url: String,
    #[diesel(sql_type = Bool)]
    pub enabled: bool,
}

impl DeliveryRow {
    /// The columns, of `webhook_deliveries AS d`, `events AS v` and `webhook_endpoints AS e`. Every delivery
    /// has an event and an endpoint; the outer joins make the database read the deliveries first.
    pub const SELECT: &'static str = "\
         SELECT d.account_id, d.event_id, d.id, d.endpoint_id, v.kind, d.state, d.attempts, \
         d.due_at, d.created_at, e.url, e.enabled FROM webhook_deliveries AS d \
         LEFT JOIN events AS v ON v.account_id = d.account_id AND v.id = d.event_id \
         LEFT JOIN webhook_endpoints AS e ON e.account_id = d.account_id AND e.id = d.endpoint_id";

    /// A new delivery of the same event to the same endpoint, due now.
    pub fn anew(self, id: RowId, now: RowInstant) -> Self {
        Self {
            id,
            state: DeliveryState::Pending.as_str().to_owned(),
            attempts: 0,
            due_at: now,
            created_at: now,
            ..self
        }
    }

    /// The delivery with its attempts, first to last.
    pub fn with(self, attempts: Vec<DeliveryAttempt>) -> StoreResult<Delivery> {
        let row_ref = RowRef { table: "webhook_deliveries", id: self.id };
        let state = row_ref.named("state", &self.state)?;
        let name = EventName::parse(&self.kind);
        Ok(Delivery {
            id: self.id.id(),
            event: self.event_id.id(),
            name: name.ok_or_else(|| row_ref.wrong("event_id", "is of no kind that there is"))?,
            endpoint: self.endpoint_id.id(),
            url: self.url,
            state,
            begun: row_ref.count("attempts", self.attempts)?,
            attempts,
            next_attempt_at: (state == DeliveryState::Pending).then_some(self.due_at.0),
            created_at: self.created_at.0,
        })
    }
}

/// A row of `webhook_attempts`, without its account.
#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = webhook_attempts)]
pub struct AttemptRow {
    pub delivery_id: RowId,
    number: i64,
    attempted_at: RowInstant,
    response_status: Option<i32>,
    response_body: Option<String>,
    error: Option<String>,
    duration_ms: Option<i32>,
}

impl TryFrom<AttemptRow> for DeliveryAttempt {
    type Error = StoreError;

    fn try_from(row: AttemptRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "webhook_attempts", id: row.delivery_id };
        let status = row.response_status.map(i64::from);
        Ok(Self {
            number: row_ref.count("number", row.number)?,
            at: row.attempted_at.0,
            duration: row.duration_ms.map(|millis| Duration::milliseconds(i64::from(millis))),
            response_status: status.map(|status| row_ref.count("response_status", status)).transpose()?,
            response_body: row.response_body,
            error: row.error,
        })
    }
}
