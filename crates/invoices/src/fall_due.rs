//! What the calendar does: scheduled invoices are issued on their day, unpaid ones are overdue on the day after they were due.

use std::collections::BTreeMap;
use std::sync::Arc;

use kernel::{Clock, StoreError};
use time::Duration;

use crate::ports::{Calendar, CandidatePlace};
use crate::status::Status;

/// How many invoices one transaction moves, so that it holds none of them for long.
const BATCH: u32 = 500;

/// No zone is further ahead of UTC than the Line Islands: where a day begins first, it begins 14 hours before UTC.
const FURTHEST_AHEAD: Duration = Duration::hours(14);

/// The worker that moves invoices with the calendar.
#[derive(Clone)]
pub struct DueDates {
    /// Begins its transactions.
    pub calendar: Arc<dyn Calendar>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

impl DueDates {
    /// Moves every invoice whose day has come, each in the time zone that its account has now, in batches. Several processes may do
    /// this at once: each invoice is moved by one of them, once. Whatever was missed in an outage is caught up with. Says how many
    /// invoices it moved.
    ///
    /// # Errors
    /// A [`StoreError`]; batches that were committed before it stay moved.
    pub async fn fall_due(&self) -> Result<u64, StoreError> {
        let mut moved = 0_u64;
        let mut after = None;
        loop {
            let batch = self.move_batch(after).await?;
            moved = moved.saturating_add(batch.moved);
            after = batch.last;
            if batch.seen < BATCH {
                return Ok(moved);
            }
        }
    }

    async fn move_batch(&self, after: Option<CandidatePlace>) -> Result<Batch, StoreError> {
        let now = self.clock.now();
        let latest = (now + FURTHEST_AHEAD).date();
        let mut tx = self.calendar.begin().await?;
        let candidates = tx.candidates(latest, after, BATCH).await?;
        let mut batch = Batch {
            seen: u32::try_from(candidates.len()).unwrap_or(BATCH),
            moved: 0,
            last: candidates.last().map(|candidate| candidate.place),
        };
        let mut moves: BTreeMap<Status, Vec<CandidatePlace>> = BTreeMap::new();
        for candidate in candidates {
            let today = candidate.time_zone.date_at(now);
            let (invoice_date, due_date) = (candidate.invoice_date, candidate.due_date);
            let moved_to = candidate.status.on_the_day(invoice_date, due_date, today);
            if moved_to != candidate.status {
                moves.entry(moved_to).or_default().push(candidate.place);
            }
        }
        for (status, invoices) in &moves {
            tx.move_to(*status, invoices, now).await?;
            let count = u64::try_from(invoices.len()).unwrap_or(0);
            batch.moved = batch.moved.saturating_add(count);
        }
        tx.commit().await?;
        Ok(batch)
    }
}

/// What one transaction did.
struct Batch {
    seen: u32,
    moved: u64,
    last: Option<CandidatePlace>,
}
