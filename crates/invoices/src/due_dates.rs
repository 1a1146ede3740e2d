//! Status changes by date: a scheduled invoice becomes unpaid on its invoice date, an unpaid one overdue on
//! the day after its due date, each in the time zone of its account.

use std::sync::Arc;

use kernel::{Clock, StoreResult};
use time::{Duration, OffsetDateTime};

use crate::ports::{CandidateKey, DueDateStore, StatusCandidate, StatusChange};

/// How many invoices are read at a time, and at most changed in one transaction.
const BATCH: u32 = 500;

/// The largest UTC offset of any time zone: a day begins in the Line Islands 14 hours before it begins in
/// UTC.
const MAX_UTC_OFFSET: Duration = Duration::hours(14);

/// The worker that changes statuses.
#[derive(Clone)]
pub struct DueDates {
    /// Reads and changes invoices.
    pub store: Arc<dyn DueDateStore>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

impl DueDates {
    /// Changes the status of every invoice whose date has come in the present time zone of its account, and
    /// returns how many were changed. Several processes may run this at once: each invoice is changed once.
    /// Days missed in an outage are caught up.
    ///
    /// # Errors
    /// A [`kernel::StoreError`]; batches committed before it stay changed.
    pub async fn apply(&self) -> StoreResult<u64> {
        let mut changed = 0_u64;
        let mut after: Option<CandidateKey> = None;
        loop {
            let now = self.clock.now();
            let latest = now.saturating_add(MAX_UTC_OFFSET).date();
            let candidates = self.store.candidates(latest, after, BATCH).await?;
            after = candidates.last().map(|candidate| candidate.key);
            let is_last = u32::try_from(candidates.len()).is_ok_and(|read| read < BATCH);
            let changes = candidates.into_iter().filter_map(|one| change(one, now));
            let changes: Vec<StatusChange> = changes.collect();
            if !changes.is_empty() {
                let batch = self.store.change_statuses(&changes, now).await?;
                changed = changed.saturating_add(batch);
            }
            if is_last {
                return Ok(changed);
            }
        }
    }
}

/// The status change of a candidate whose date has come.
fn change(candidate: StatusCandidate, now: OffsetDateTime) -> Option<StatusChange> {
    let today = candidate.time_zone.date_at(now);
    let (invoice_date, due_date) = (candidate.invoice_date, candidate.due_date);
    let status = candidate.status.on_the_day(invoice_date, due_date, today);
    (status != candidate.status).then(|| StatusChange {
        candidate,
        status,
        status_changes_on: status.changes_on(invoice_date, due_date),
    })
}

#[cfg(test)]
mod tests;
