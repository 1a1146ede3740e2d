//! The common kind of job: one lane, one queue, a fixed retry schedule.

use std::mem::discriminant;
use std::num::NonZeroU32;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use kernel::{Clock, StoreError, StoreResult, error_chain, instant_text, retry_contended};
use time::OffsetDateTime;

use crate::job::{JobKind, JobLimits, LeaseRequest, LeasedBatch, Pace, Unrecorded};
use crate::outcome::{Failure, NotDone, Outcome};
use crate::queue::{Due, LEASE, Lease, Leased, Queue, Task};
use crate::retry_schedule::RetrySchedule;

/// What handlers of every kind run with.
#[derive(Clone)]
pub struct JobContext {
    /// The queue of the jobs.
    pub queue: Arc<dyn Queue>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// How many attempts are made at once.
    pub max_concurrent: NonZeroU32,
}

/// Carries out the jobs of one kind, which wait in a [`Queue`]. Any number of handlers, in any number of
/// processes, share the queue.
#[async_trait]
pub trait JobHandler: Send + Sync + 'static {
    /// When a failed job is tried again.
    const SCHEDULE: RetrySchedule;
    /// Whether there are jobs that write to customers ([`NewJob::to_customer`](crate::NewJob::to_customer)).
    /// A job that is still held at the end of the schedule is given up.
    const WRITES_TO_CUSTOMERS: bool = false;
    /// The payload of a job, parsed from its JSON. A job whose JSON has another form waits for a
    /// process that can read it, to the end of the schedule.
    type Payload: Task;

    /// Where the jobs wait, and how many are attempted at once.
    fn jobs(&self) -> &JobContext;

    /// The instant before which no job is leased, because the other side limits how often it is called
    /// ([`Failure::Later`]).
    fn not_before(&self) -> Option<OffsetDateTime> {
        None
    }

    /// Makes one attempt, well within [`LEASE`]. No transaction is open meanwhile, except those that it
    /// begins itself. A job may be attempted twice: an implementation ensures that this does no harm.
    async fn handle(&self, job: &Leased<Self::Payload>) -> Result<(), NotDone>;

    /// Acts on a job that is given up, before that is recorded: no attempt follows. It may be called again
    /// for the same job, and is not called for a payload that cannot be parsed.
    ///
    /// # Errors
    /// If the store fails, the job is not given up yet: another attempt is made soon. Only if a stored row is
    /// inconsistent, the job is given up all the same.
    async fn given_up(&self, _job: &Leased<Self::Payload>, _reason: &str) -> StoreResult<()> {
        Ok(())
    }
}

/// The outcome of an attempt, to be recorded.
#[derive(Debug, Clone)]
pub struct JobResult {
    lease: Lease,
    outcome: Outcome,
}

/// How an attempt ended, and whether somebody decided that the job is not done.
struct Ended {
    outcome: Outcome,
    is_intended: bool,
}

/// Parses a job's payload, attempts the job, and tells the handler if it is given up.
async fn attempt<H: JobHandler>(handler: &H, job: Leased) -> StoreResult<Ended> {
    let Leased { lease, queued_at, letterhead, payload } = job;
    let Ok(payload) = serde_json::from_str(&payload) else {
        // While processes are restarted with another version, another one may be able to. The text of the
        // error may quote the payload, which must not be logged.
        let (now, reason) = (handler.jobs().clock.now(), "the stored payload cannot be read");
        let outcome = Outcome::after_temporary(&H::SCHEDULE, queued_at, lease.attempt, now, reason);
        return Ok(Ended { outcome, is_intended: false });
    };
    let job = Leased { lease, queued_at, letterhead, payload };
    let done = match was_held_too_long(handler, &job).await? {
        true => Err(NotDone::Held),
        false => handle(handler, &job).await,
    };
    let now = handler.jobs().clock.now();
    let is_intended = done.as_ref().is_err_and(NotDone::is_intended);
    let mut outcome = Outcome::of_attempt(done, &H::SCHEDULE, queued_at, lease.attempt, now)?;
    if now >= lease.ends_at {
        outcome = outcome.after_lease(now);
    }
    if let Outcome::GivenUp { reason, .. } = &outcome {
        give_up(handler, &job, reason).await?;
    }
    Ok(Ended { outcome, is_intended })
}

/// A panic counts as a failure: a job without an outcome is attempted whenever its lease ends, for ever.
async fn handle<H: JobHandler>(handler: &H, job: &Leased<H::Payload>) -> Result<(), NotDone> {
    // What the attempt used is dropped with it, as at the end of a task that panics.
    let attempt = AssertUnwindSafe(handler.handle(job)).catch_unwind();
    attempt.await.unwrap_or_else(|_panic| {
        tracing::error!(job = H::Payload::KIND, id = %job.lease.id, "an attempt panicked");
        Err(Failure::Temporary("the attempt panicked".to_owned()).into())
    })
}

async fn give_up<H: JobHandler>(handler: &H, job: &Leased<H::Payload>, reason: &str) -> StoreResult<()> {
    let (name, id) = (H::Payload::KIND, job.lease.id);
    match AssertUnwindSafe(handler.given_up(job, reason)).catch_unwind().await {
        // Neither would end otherwise: the job would be given up again and again, for ever.
        Ok(Err(error @ StoreError::Inconsistent { .. })) => {
            tracing::error!(job = name, %id, %error, "the follow-up of a job that was given up failed");
            Ok(())
        }
        Err(_panic) => {
            tracing::error!(job = name, %id, "the follow-up of a job that was given up panicked");
            Ok(())
        }
        Ok(told) => told,
    }
}

async fn was_held_too_long<H: JobHandler>(handler: &H, job: &Leased<H::Payload>) -> StoreResult<bool> {
    let age = handler.jobs().clock.now() - job.queued_at;
    Ok(H::WRITES_TO_CUSTOMERS
        && age >= H::SCHEDULE.give_up_after
        && handler.jobs().queue.is_held(job.lease).await?)
}

#[async_trait]
impl<H: JobHandler> JobKind for H {
    const NAME: &'static str = H::Payload::KIND;
    type Lane = ();
    type Leased = Leased;
    type Result = JobResult;

    fn limits(&self) -> JobLimits {
        JobLimits::concurrent(self.jobs().max_concurrent.get())
    }

    fn clock(&self) -> &dyn Clock {
        &*self.jobs().clock
    }

    fn lane(_job: &Self::Leased) {}

    async fn lease_due(&self, request: LeaseRequest<'_, ()>) -> StoreResult<LeasedBatch<Self::Leased>> {
        let limit = request.rooms.first().map_or(request.limit, |((), room)| request.limit.min(*room));
        let is_too_early = self.not_before().is_some_and(|instant| request.now < instant);
        if limit == 0 || is_too_early {
            return Ok(LeasedBatch::default());
        }
        let due = Due {
            kind: H::Payload::KIND,
            now: request.now,
            lease_for: LEASE,
            limit,
            held_at_most: H::WRITES_TO_CUSTOMERS.then_some(H::SCHEDULE.give_up_after),
        };
        let jobs = self.jobs().queue.lease_due(due).await?;
        let more = u32::try_from(jobs.len()).is_ok_and(|leased| leased >= limit);
        Ok(LeasedBatch { jobs, more })
    }

    async fn attempt(&self, job: Self::Leased) -> (Option<Self::Result>, Pace) {
        let lease = job.lease;
        let (id, attempt_number) = (lease.id, lease.attempt);
        let Ended { outcome, is_intended } = match attempt(self, job).await {
            Ok(ended) => ended,
            Err(error) => {
                let error = error_chain(&error);
                tracing::warn!(job = H::Payload::KIND, %id, attempt = attempt_number, error, "the store failed during an attempt; it is made again");
                let outcome = Outcome::after_store_failure(attempt_number, self.jobs().clock.now());
                return (Some(JobResult { lease, outcome }), Pace::Failed);
            }
        };
        let pace = match outcome {
            Outcome::Done { .. } => Pace::Succeeded,
            Outcome::Retry { .. } | Outcome::Postponed { .. } | Outcome::GivenUp { .. } => Pace::Failed,
        };
        log_outcome(H::Payload::KIND, lease, &outcome, is_intended);
        (Some(JobResult { lease, outcome }), pace)
    }

    fn not_attempted(job: Self::Leased, now: OffsetDateTime) -> Self::Result {
        let outcome = Outcome::Retry {
            at: now,
            next_attempt_at: now,
            reason: "the service stopped before the attempt".to_owned(),
        };
        JobResult { lease: job.lease, outcome }
    }

    async fn record(&self, results: &[Self::Result]) -> Result<(), Vec<Unrecorded<Self::Result>>> {
        let mut failed: Vec<Unrecorded<JobResult>> = Vec::new();
        for result in results {
            // An account that is unavailable may take a minute to say so, and delays the others once only.
            let of_account = |one: &JobResult| one.lease.account == result.lease.account;
            let is_away = |one: &Unrecorded<JobResult>| matches!(one.error, StoreError::Unavailable(_));
            let known = |one: &&mut Unrecorded<JobResult>| is_away(one) && one.results.iter().any(of_account);
            if let Some(known) = failed.iter_mut().find(known) {
                known.results.push(result.clone());
                continue;
            }
            let recorded = retry_contended(|| self.jobs().queue.record(result.lease, &result.outcome)).await;
            let Err(error) = recorded else { continue };
            // Failures of one kind are logged once.
            match failed.iter_mut().find(|known| discriminant(&known.error) == discriminant(&error)) {
                Some(known) => known.results.push(result.clone()),
                None => failed.push(Unrecorded { results: vec![result.clone()], error }),
            }
        }
        if failed.is_empty() { Ok(()) } else { Err(failed) }
    }

    fn accounts_fail_alone(&self) -> bool {
        self.jobs().queue.accounts_fail_alone()
    }

    fn lease_has_ended(result: &Self::Result, now: OffsetDateTime) -> bool {
        result.lease.ends_at <= now
    }
}

fn log_outcome(job: &'static str, lease: Lease, outcome: &Outcome, is_intended: bool) {
    let Lease { id, account, attempt, .. } = lease;
    match outcome {
        Outcome::Done { .. } => tracing::info!(job, %id, %account, attempt, "job done"),
        Outcome::Retry { reason, next_attempt_at, .. } => {
            let next_attempt_at = instant_text(*next_attempt_at);
            tracing::warn!(job, %id, %account, attempt, reason, next_attempt_at, "job failed; it is tried again");
        }
        Outcome::Postponed { reason, next_attempt_at } => {
            let next_attempt_at = instant_text(*next_attempt_at);
            tracing::warn!(job, %id, %account, reason, next_attempt_at, "job postponed");
        }
        Outcome::GivenUp { reason, .. } if is_intended => {
            tracing::info!(job, %id, %account, attempt, reason, "job dropped");
        }
        Outcome::GivenUp { reason, .. } => {
            tracing::error!(job, %id, %account, attempt, reason, "job given up");
        }
    }
}
