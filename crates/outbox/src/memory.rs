//! A queue in memory, for examples and tests.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use kernel::StoreResult;
use time::OffsetDateTime;

use crate::outcome::Outcome;
use crate::queue::{Due, JobId, Jobs, Lease, Leased, NewJob, Queue, Recorded};

/// Jobs in memory. A shared reference also stands for a transaction: what it queues is due at once.
#[derive(Debug, Default)]
pub struct MemoryQueue {
    jobs: Mutex<BTreeMap<JobId, WaitingJob>>,
    holds_customers: AtomicBool,
    letterhead: Mutex<Option<String>>,
}

#[derive(Debug)]
struct WaitingJob {
    job: NewJob,
    attempts: u32,
    /// When it is due: its next attempt, or the end of its lease.
    due_at: OffsetDateTime,
    last: Option<Outcome>,
}

impl WaitingJob {
    fn is_finished(&self) -> bool {
        self.last.as_ref().is_some_and(Outcome::is_final)
    }
}

impl MemoryQueue {
    /// Queues a job, due at once.
    pub fn put(&self, job: NewJob) {
        let waiting = WaitingJob { due_at: job.queued_at, job, attempts: 0, last: None };
        self.waiting().insert(waiting.job.id, waiting);
    }

    /// Sets the letterhead, as JSON, with which jobs that write to customers are leased.
    pub fn set_letterhead(&self, letterhead: &str) {
        let mut set = self.letterhead.lock().unwrap_or_else(PoisonError::into_inner);
        *set = Some(letterhead.to_owned());
    }

    /// Holds all jobs that write to customers.
    pub fn hold_customers(&self) {
        self.holds_customers.store(true, Ordering::SeqCst);
    }

    /// The last recorded outcome of a job.
    #[must_use]
    pub fn last_outcome(&self, id: JobId) -> Option<Outcome> {
        self.waiting().get(&id)?.last.clone()
    }

    /// Every job in the order of the ids, with its last recorded outcome.
    #[must_use]
    pub fn all(&self) -> Vec<(NewJob, Option<Outcome>)> {
        let waiting = self.waiting();
        let all = waiting.values().map(|one| (one.job.clone(), one.last.clone()));
        all.collect()
    }

    fn waiting(&self) -> MutexGuard<'_, BTreeMap<JobId, WaitingJob>> {
        // No change to the map panics half way.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Jobs for &MemoryQueue {
    async fn queue(&mut self, job: NewJob) -> StoreResult<()> {
        self.put(job);
        Ok(())
    }
}

#[async_trait]
impl Queue for MemoryQueue {
    async fn lease_due(&self, request: Due) -> StoreResult<Vec<Leased>> {
        let mut waiting = self.waiting();
        let letterhead = self.letterhead.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let holds_customers = self.holds_customers.load(Ordering::SeqCst);
        let is_due = |one: &&mut WaitingJob| {
            let age = request.now - one.job.queued_at;
            let is_held = holds_customers
                && one.job.to_customer
                && request.held_at_most.is_none_or(|at_most| age < at_most);
            one.job.kind == request.kind && !one.is_finished() && !is_held && one.due_at <= request.now
        };
        let mut due: Vec<_> = waiting.values_mut().filter(is_due).collect();
        due.sort_by_key(|one| (one.job.to_customer, one.due_at));
        let lease = |one: &mut WaitingJob| {
            one.attempts = one.attempts.saturating_add(1);
            one.due_at = request.now.saturating_add(request.lease_for);
            Leased {
                lease: Lease {
                    id: one.job.id,
                    account: one.job.account,
                    attempt: one.attempts,
                    ends_at: one.due_at,
                },
                queued_at: one.job.queued_at,
                letterhead: letterhead.clone().filter(|_| one.job.to_customer),
                payload: one.job.payload.clone(),
            }
        };
        let limit = usize::try_from(request.limit).unwrap_or(usize::MAX);
        let mut leased: Vec<_> = due.into_iter().take(limit).collect();
        leased.sort_by_key(|one| (one.job.to_customer, one.job.queued_at, one.job.id));
        Ok(leased.into_iter().map(lease).collect())
    }

    async fn is_held(&self, lease: Lease) -> StoreResult<bool> {
        let holds_customers = self.holds_customers.load(Ordering::SeqCst);
        Ok(holds_customers && self.waiting().get(&lease.id).is_some_and(|one| one.job.to_customer))
    }

    async fn record(&self, lease: Lease, outcome: &Outcome) -> StoreResult<Recorded> {
        let mut waiting = self.waiting();
        let holds = |one: &&mut WaitingJob| {
            let done = matches!(outcome, Outcome::Done { .. });
            let own = one.job.account == lease.account;
            let is_latest = one.attempts == lease.attempt && one.due_at == lease.ends_at;
            own && !one.is_finished() && (done || is_latest)
        };
        let Some(one) = waiting.get_mut(&lease.id).filter(holds) else {
            return Ok(Recorded::LeaseLost);
        };
        if let Outcome::Retry { next_attempt_at, .. } | Outcome::Postponed { next_attempt_at, .. } = outcome {
            one.due_at = *next_attempt_at;
        }
        if matches!(outcome, Outcome::Postponed { .. }) {
            one.attempts = one.attempts.saturating_sub(1);
        }
        one.last = Some(outcome.clone());
        Ok(Recorded::Done)
    }
}

#[cfg(test)]
mod tests {
    use kernel::Id;
    use testkit::{CountingIds, FixedClock};
    use time::Duration;

    use super::*;

    #[tokio::test]
    async fn only_jobs_to_customers_are_leased_with_the_letterhead() {
        let (queue, ids, now) = (MemoryQueue::default(), CountingIds::default(), FixedClock::START);
        queue.set_letterhead("{}");
        let account = Id::new(&ids, now);
        for to_customer in [true, false] {
            queue.put(NewJob {
                id: Id::new(&ids, now),
                account,
                kind: "mail",
                resource_id: None,
                to_customer,
                payload: String::new(),
                queued_at: now,
            });
        }
        let due = Due { kind: "mail", now, lease_for: Duration::MINUTE, limit: 2, held_at_most: None };
        let leased = queue.lease_due(due).await.unwrap();
        let letterheads: Vec<_> = leased.iter().map(|one| one.letterhead.as_deref()).collect();
        assert_eq!(letterheads, [None, Some("{}")]);
    }
}
