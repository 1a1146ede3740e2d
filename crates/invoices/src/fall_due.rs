//! What the calendar does: scheduled invoices are issued on their day, unpaid ones are overdue on the day after they were due.

use std::collections::BTreeMap;
use std::sync::Arc;

use kernel::{AccountId, Clock, StoreError};
use time::Duration;

use crate::invoice::InvoiceId;
use crate::ports::{Calendar, Candidate};
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
            let (seen, moved_here, last) = self.move_batch(after).await?;
            moved = moved.saturating_add(moved_here);
            after = last;
            if seen < BATCH {
                return Ok(moved);
            }
        }
    }

    async fn move_batch(
        &self,
        after: Option<(AccountId, InvoiceId)>,
    ) -> Result<(u32, u64, Option<(AccountId, InvoiceId)>), StoreError> {
        let now = self.clock.now();
        let latest = (now + FURTHEST_AHEAD).date();
        let mut tx = self.calendar.begin().await?;
        let candidates = tx.candidates(latest, after, BATCH).await?;
        let seen = u32::try_from(candidates.len()).unwrap_or(BATCH);
        let last = candidates
            .last()
            .map(|candidate| (candidate.account, candidate.id));
        let mut moves: BTreeMap<Status, Vec<(AccountId, InvoiceId)>> = BTreeMap::new();
        for candidate in candidates {
            let Candidate {
                account,
                id,
                status,
                invoice_date,
                due_date,
                time_zone,
            } = candidate;
            let moved_to = status.on_the_day(invoice_date, due_date, time_zone.date_at(now));
            if moved_to != status {
                moves.entry(moved_to).or_default().push((account, id));
            }
        }
        let mut moved = 0_u64;
        for (status, invoices) in &moves {
            tx.move_to(*status, invoices, now).await?;
            moved = moved.saturating_add(u64::try_from(invoices.len()).unwrap_or(0));
        }
        tx.commit().await?;
        Ok((seen, moved, last))
    }
}
