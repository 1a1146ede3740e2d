//! One kind of job as the engine runs it: how its jobs are leased, attempted and recorded.
//!
//! A kind whose jobs wait in a [`Queue`](crate::Queue) implements [`JobHandler`](crate::JobHandler), which
//! provides [`JobKind`]. A kind that needs lanes, or records attempts in batches, implements [`JobKind`]
//! itself.

use std::hash::Hash;
use std::time::Duration as StdDuration;

use async_trait::async_trait;
use kernel::{Clock, StoreError, StoreResult};
use time::{Duration, OffsetDateTime};

/// How many jobs are leased, under way and recorded at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobLimits {
    /// How many jobs one statement leases or records.
    pub batch: u32,
    /// How many jobs are leased at once.
    pub leased: u32,
    /// How many attempts are under way at once.
    pub under_way: u32,
    /// How many of those are reserved for lanes that are not failing, a few for each; 0 for a kind without
    /// lanes.
    pub reserved: u32,
    /// How many attempts of one lane are under way at once.
    pub under_way_per_lane: u32,
    /// The first window of a lane: how many of its jobs are leased at once. It grows with each quick success.
    pub first_window: u32,
    /// The largest window of a lane.
    pub largest_window: u32,
    /// How long a leased job may wait for its attempt. One that waited longer is given back.
    pub max_wait: Duration,
}

impl JobLimits {
    /// How many attempts may be under way at once that are not reserved.
    pub(crate) const fn unreserved(&self) -> u32 {
        self.under_way.saturating_sub(self.reserved)
    }

    /// For jobs without lanes: at most `max` are leased at once, and each is attempted immediately.
    #[must_use]
    pub const fn concurrent(max: u32) -> Self {
        Self {
            batch: max,
            leased: max,
            under_way: max,
            reserved: 0,
            under_way_per_lane: max,
            first_window: max,
            largest_window: max,
            max_wait: Duration::MINUTE,
        }
    }
}

/// Which due jobs to lease.
#[derive(Debug, Clone, Copy)]
pub struct LeaseRequest<'a, L> {
    /// Jobs whose time has come by this instant are due, UTC.
    pub now: OffsetDateTime,
    /// The most jobs to lease.
    pub limit: u32,
    /// The most jobs of a lane that `rooms` does not name.
    pub per_lane: u32,
    /// The most jobs of each of these lanes. Lanes with 0 are skipped as if none of their jobs were due.
    pub rooms: &'a [(L, u32)],
}

/// The jobs that were leased.
#[derive(Debug)]
pub struct LeasedBatch<T> {
    /// The jobs, in the order in which they are to begin.
    pub jobs: Vec<T>,
    /// Whether more may be due.
    pub more: bool,
}

impl<T> Default for LeasedBatch<T> {
    fn default() -> Self {
        Self { jobs: Vec::new(), more: false }
    }
}

/// How an attempt went, as far as its lane is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    Succeeded,
    /// It failed with a response, or immediately.
    Failed,
    /// There was no response in time.
    TimedOut,
}

/// A job that waited for its attempt, after it was checked again in the store.
#[derive(Debug)]
pub enum Checked<T, R> {
    /// Attempt it, with the present data of the store.
    Attempt(T),
    /// Do not attempt it. This result is recorded.
    Skip(R),
}

/// Results that could not be recorded, with the cause. They are recorded again.
#[derive(Debug)]
pub struct Unrecorded<R> {
    pub results: Vec<R>,
    pub error: StoreError,
}

/// One kind of job.
#[async_trait]
pub trait JobKind: Send + Sync + 'static {
    /// The kind's name in logs and metrics.
    const NAME: &'static str;

    /// The group of jobs that a slow job may delay: jobs of one lane wait for each other, lanes do not. `()`
    /// for a kind without lanes.
    type Lane: Copy + Eq + Hash + Send + Sync + 'static;
    /// A leased job.
    type Leased: Send + Sync + 'static;
    /// The result of a lease, to be recorded.
    type Result: Send + Sync + 'static;

    /// The limits of this kind.
    fn limits(&self) -> JobLimits;

    /// Tells the time.
    fn clock(&self) -> &dyn Clock;

    /// The lane of a job.
    fn lane(job: &Self::Leased) -> Self::Lane;

    /// Leases jobs that are due. The leases are committed before it returns.
    async fn lease_due(
        &self,
        request: LeaseRequest<'_, Self::Lane>,
    ) -> StoreResult<LeasedBatch<Self::Leased>>;

    /// Checks jobs again that waited for their attempt since they were leased, in as few queries as possible.
    async fn check_waited(&self, jobs: Vec<Self::Leased>) -> Vec<Checked<Self::Leased, Self::Result>> {
        jobs.into_iter().map(Checked::Attempt).collect()
    }

    /// Makes one attempt. No transaction is open meanwhile, except those that the attempt begins itself.
    /// `None` when there is nothing to record: the job is due again when its lease ends.
    async fn attempt(&self, job: Self::Leased) -> (Option<Self::Result>, Pace);

    /// The result of a lease that ends without an attempt: the job is due again at `now`.
    fn not_attempted(job: Self::Leased, now: OffsetDateTime) -> Self::Result;

    /// Records results. Recording a result again changes nothing. The error has those that are not recorded;
    /// all others are.
    async fn record(&self, results: &[Self::Result]) -> Result<(), Vec<Unrecorded<Self::Result>>>;

    /// Whether the store can fail for one account while it works for the others, because they are on several
    /// servers. Then the store itself ensures that an account whose results could not be recorded is not
    /// leased for.
    fn accounts_fail_alone(&self) -> bool {
        false
    }

    /// Whether the lease of a result has ended: another process may have taken the job.
    fn lease_has_ended(result: &Self::Result, now: OffsetDateTime) -> bool;

    /// Returns when jobs may have become due. The queue is also polled every second.
    async fn due_at_once(&self) {
        std::future::pending().await
    }
}

/// Is notified of the rounds of a worker.
pub trait Monitor: Send + Sync {
    /// A round begins, this much later than planned.
    fn began(&self, _late: StdDuration) {}

    /// A round ended: due jobs were leased and results recorded, or the store failed.
    fn ended(&self, _result: Result<(), &StoreError>) {}
}

impl Monitor for () {}
