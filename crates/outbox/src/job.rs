//! One kind of job as the engine runs it: how its jobs are leased, attempted and recorded.
//!
//! A kind whose jobs wait in a [`Queue`](crate::Queue) implements [`Handler`](crate::Handler) and gets this
//! from it. A kind that needs lanes, or records attempts in batches, implements [`Job`] itself.

use std::hash::Hash;
use std::time::Duration as StdDuration;

use async_trait::async_trait;
use kernel::{Clock, StoreError};
use time::{Duration, OffsetDateTime};

/// How many jobs are leased, under way and recorded at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many jobs one statement leases or records.
    pub batch: u32,
    /// How many jobs are leased at once.
    pub leased: u32,
    /// How many attempts are under way at once.
    pub under_way: u32,
    /// How many of those are reserved for lanes whose last attempt succeeded in time.
    pub reserved: u32,
    /// How many attempts of one lane are under way at once.
    pub under_way_per_lane: u32,
    /// How many jobs of one lane are leased at once before anything is known of it. Its window grows with
    /// each quick success.
    pub first_window: u32,
    /// How many jobs of one lane are leased at once at the most.
    pub largest_window: u32,
    /// How long a leased job may wait for its attempt. One that waited longer is given back.
    pub max_wait: Duration,
}

impl Limits {
    /// For jobs without lanes: at most `max` are leased at once, and each is attempted at once.
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
    /// How many jobs at the most.
    pub most: u32,
    /// How many of one lane at the most, where `rooms` does not name it.
    pub per_lane: u32,
    /// How many of these lanes at the most. Lanes with 0 are passed over as if nothing of theirs were due.
    pub rooms: &'a [(L, u32)],
}

/// The jobs that were leased.
#[derive(Debug)]
pub struct LeasedBatch<T> {
    /// The jobs, longest due first.
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
    /// It succeeded.
    Succeeded,
    /// It failed with an answer, or at once.
    Failed,
    /// There was no answer in time.
    TimedOut,
}

/// A job that waited for its attempt, after another look at the store.
#[derive(Debug)]
pub enum Checked<T, R> {
    /// It is to be attempted, with what the store says now.
    Attempt(T),
    /// It is not to be attempted. This is recorded.
    Skip(R),
}

/// One kind of job.
#[async_trait]
pub trait Job: Send + Sync + 'static {
    /// The kind's name in logs and metrics.
    const NAME: &'static str;

    /// What a slow job may delay: jobs of one lane wait for each other, lanes do not. `()` for a kind without
    /// lanes.
    type Lane: Copy + Eq + Hash + Send + Sync + 'static;
    /// A leased job.
    type Leased: Send + Sync + 'static;
    /// The result of a lease, to be recorded.
    type Result: Send + Sync + 'static;

    /// How many jobs at once.
    fn limits(&self) -> Limits;

    /// Tells the time.
    fn clock(&self) -> &dyn Clock;

    /// The lane of a job.
    fn lane(job: &Self::Leased) -> Self::Lane;

    /// Leases jobs that are due. It has committed before it returns.
    async fn lease_due(
        &self,
        request: LeaseRequest<'_, Self::Lane>,
    ) -> Result<LeasedBatch<Self::Leased>, StoreError>;

    /// Looks again at jobs that waited for their attempt since they were leased, in as few queries as
    /// possible.
    async fn check_waited(&self, jobs: Vec<Self::Leased>) -> Vec<Checked<Self::Leased, Self::Result>> {
        jobs.into_iter().map(Checked::Attempt).collect()
    }

    /// Makes one attempt. No transaction is open meanwhile, except those that the attempt begins itself.
    /// `None` when there is nothing to record: the job is due again when its lease ends.
    async fn attempt(&self, job: Self::Leased) -> (Option<Self::Result>, Pace);

    /// The result of a lease that ends without an attempt: the job is due again at `now`.
    fn not_attempted(job: Self::Leased, now: OffsetDateTime) -> Self::Result;

    /// Records results. Recording a result again changes nothing.
    async fn record(&self, results: &[Self::Result]) -> Result<(), StoreError>;

    /// Whether the lease of a result has ended: another process may have taken the job.
    fn lease_has_ended(result: &Self::Result, now: OffsetDateTime) -> bool;

    /// Returns when jobs may have become due at once. The queue is looked at every second all the same.
    async fn due_at_once(&self) {
        std::future::pending().await
    }
}

/// Learns how the rounds of a worker go.
pub trait Monitor: Send + Sync {
    /// A round begins, this much later than planned.
    fn began(&self, _late: StdDuration) {}

    /// A round ended: jobs were looked for, and what was to be recorded is recorded; or the store failed.
    fn ended(&self, _result: Result<(), &StoreError>) {}
}

impl Monitor for () {}
