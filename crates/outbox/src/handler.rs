//! The common kind of job: one lane, one queue, a fixed retry schedule.

use std::num::NonZeroU32;

use async_trait::async_trait;
use kernel::{Clock, StoreError, retry_contended};
use serde::de::DeserializeOwned;
use time::OffsetDateTime;

use crate::error_chain::error_chain;
use crate::job::{Job, LeaseRequest, LeasedBatch, Limits, Pace};
use crate::outcome::{Failure, NotDone, Outcome};
use crate::queue::{Due, LEASE, Lease, Leased, Queue};
use crate::retry_schedule::RetrySchedule;

/// Carries out the jobs of one kind, which wait in a [`Queue`]. Any number of handlers, in any number of
/// processes, share the queue.
#[async_trait]
pub trait Handler: Send + Sync + 'static {
    /// The kind's name: stored with each job, and shown in logs and metrics. It never changes.
    const NAME: &'static str;
    /// When a failed job is tried again.
    const SCHEDULE: RetrySchedule;
    /// Whether there are jobs that write to customers ([`NewJob::to_customer`](crate::NewJob::to_customer)).
    /// A job that is held until the end of the schedule is given up.
    const WRITES_TO_CUSTOMERS: bool = false;
    /// The payload of a job, parsed from its JSON. A job whose JSON has another form is given up.
    type Payload: DeserializeOwned + Send + Sync + 'static;

    /// The queue of the jobs.
    fn queue(&self) -> &dyn Queue;

    /// Tells the time.
    fn clock(&self) -> &dyn Clock;

    /// How many attempts are made at once.
    fn max_concurrent(&self) -> NonZeroU32;

    /// Makes one attempt, well within [`LEASE`]. No transaction is open meanwhile, except those that it
    /// begins itself. A job may be attempted twice: an implementation ensures that this does no harm.
    async fn handle(&self, job: &Leased<Self::Payload>) -> Result<(), NotDone>;
}

/// The outcome of an attempt, to be recorded.
#[derive(Debug)]
pub struct JobResult {
    lease: Lease,
    outcome: Outcome,
    lease_ends_at: OffsetDateTime,
}

/// A leased job, with the instant at which its lease ends.
#[derive(Debug)]
pub struct TimedLease {
    leased: Leased,
    lease_ends_at: OffsetDateTime,
}

/// Parses a job's payload and attempts the job.
async fn attempt<H: Handler>(handler: &H, job: Leased) -> Result<(), NotDone> {
    let Leased { lease, queued_at, letterhead, payload } = job;
    let payload = serde_json::from_str(&payload)
        // The text of the error may quote the payload, which must not be logged.
        .map_err(|_fault| Failure::Permanent("the stored payload cannot be read".to_owned()))?;
    handler.handle(&Leased { lease, queued_at, letterhead, payload }).await
}

#[async_trait]
impl<H: Handler> Job for H {
    const NAME: &'static str = H::NAME;
    type Lane = ();
    type Leased = TimedLease;
    type Result = JobResult;

    fn limits(&self) -> Limits {
        Limits::concurrent(self.max_concurrent().get())
    }

    fn clock(&self) -> &dyn Clock {
        Handler::clock(self)
    }

    fn lane(_job: &Self::Leased) {}

    async fn lease_due(
        &self,
        request: LeaseRequest<'_, ()>,
    ) -> Result<LeasedBatch<Self::Leased>, StoreError> {
        let limit = request.rooms.first().map_or(request.limit, |((), room)| request.limit.min(*room));
        if limit == 0 {
            return Ok(LeasedBatch::default());
        }
        let due = Due {
            kind: H::NAME,
            now: request.now,
            lease_for: LEASE,
            limit,
            held_at_most: H::WRITES_TO_CUSTOMERS.then_some(H::SCHEDULE.give_up_after),
        };
        let jobs = self.queue().lease_due(due).await?;
        let more = u32::try_from(jobs.len()).is_ok_and(|leased| leased >= limit);
        let lease_ends_at = request.now.saturating_add(LEASE);
        let timed = |leased| TimedLease { leased, lease_ends_at };
        let jobs = jobs.into_iter().map(timed).collect();
        Ok(LeasedBatch { jobs, more })
    }

    async fn attempt(&self, job: Self::Leased) -> (Option<Self::Result>, Pace) {
        let (lease, queued_at) = (job.leased.lease, job.leased.queued_at);
        let done = attempt(self, job.leased).await;
        let pace = match done {
            Ok(()) => Pace::Succeeded,
            Err(_) => Pace::Failed,
        };
        let (id, attempt) = (lease.id, lease.attempt);
        let now = Handler::clock(self).now();
        let outcome = match Outcome::of_attempt(done, &H::SCHEDULE, queued_at, attempt, now) {
            Ok(outcome) => outcome,
            Err(error) => {
                let error = error_chain(&error);
                tracing::warn!(job = H::NAME, %id, attempt, error, "the store failed during an attempt; it is made again");
                return (None, pace);
            }
        };
        log_outcome(H::NAME, lease, &outcome);
        let result = JobResult { lease, outcome, lease_ends_at: job.lease_ends_at };
        (Some(result), pace)
    }

    fn not_attempted(job: Self::Leased, now: OffsetDateTime) -> Self::Result {
        let outcome = Outcome::Retry {
            at: now,
            next_attempt_at: now,
            reason: "the service stopped before the attempt".to_owned(),
        };
        JobResult { lease: job.leased.lease, outcome, lease_ends_at: job.lease_ends_at }
    }

    async fn record(&self, results: &[Self::Result]) -> Result<(), StoreError> {
        let mut failed = None;
        for result in results {
            let recorded = retry_contended(|| self.queue().record(result.lease, &result.outcome)).await;
            // The remaining results are still recorded.
            failed = recorded.err().or(failed);
        }
        failed.map_or(Ok(()), Err)
    }

    fn lease_has_ended(result: &Self::Result, now: OffsetDateTime) -> bool {
        result.lease_ends_at <= now
    }
}

fn log_outcome(job: &'static str, lease: Lease, outcome: &Outcome) {
    let Lease { id, account, attempt } = lease;
    match outcome {
        Outcome::Done { .. } => tracing::info!(job, %id, %account, attempt, "job done"),
        Outcome::Retry { reason, next_attempt_at, .. } => {
            tracing::warn!(job, %id, %account, attempt, reason, %next_attempt_at, "job failed; it is tried again");
        }
        Outcome::GivenUp { reason, .. } => {
            tracing::error!(job, %id, %account, attempt, reason, "job given up");
        }
    }
}
