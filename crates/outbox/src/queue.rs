//! Jobs of one kind that wait in a table, and the port that leases them and records their outcomes.

use async_trait::async_trait;
use kernel::{AccountId, Entity, Id, StoreError};
use time::{Duration, OffsetDateTime};

use crate::outcome::Outcome;

/// How long a job is leased for one attempt. An attempt takes far less, so a lease ends only when its process
/// is gone.
pub const LEASE: Duration = Duration::minutes(5);

/// A job of one kind, queued by a transaction and done after its commit.
pub trait Work: Clone + Send + Sync + 'static {
    /// Names the kind.
    type Entity: Entity + 'static;

    /// The job's id. Every attempt has the same one, by which a receiver recognizes a repeated attempt.
    fn id(&self) -> Id<Self::Entity>;

    /// The account for which it is done.
    fn account(&self) -> AccountId;

    /// When it was queued, UTC. Its age counts from here.
    fn queued_at(&self) -> OffsetDateTime;
}

/// The right to make one attempt at a job, until the lease ends.
#[derive(Debug, PartialEq, Eq)]
pub struct Lease<E: Entity> {
    /// The job.
    pub id: Id<E>,
    /// The account for which it is done.
    pub account: AccountId,
    /// Which attempt this is, from 1. Each lease counts, so two leases on one job have different numbers.
    pub attempt: u32,
}

impl<E: Entity> Clone for Lease<E> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<E: Entity> Copy for Lease<E> {}

/// A job with the lease to make one attempt at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leased<W> {
    /// The job.
    pub work: W,
    /// Which attempt this is, from 1.
    pub attempt: u32,
}

impl<W: Work> Leased<W> {
    /// The lease alone.
    #[must_use]
    pub fn lease(&self) -> Lease<W::Entity> {
        Lease { id: self.work.id(), account: self.work.account(), attempt: self.attempt }
    }
}

/// What recording an outcome came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recorded {
    /// The outcome is stored.
    Done,
    /// The lease had ended, and another worker has leased or finished the job since. Nothing was changed.
    LeaseLost,
}

/// The jobs of one kind, of every account. Several processes share the queue.
#[async_trait]
pub trait Queue<W: Work>: Send + Sync {
    /// Leases at most `most` jobs that are due, longest due first, each until `now + lease_for` and with its
    /// number of attempts increased.
    ///
    /// A job is due when it is neither done nor given up, its next attempt's time has come, and it is not
    /// leased. An implementation gives one job to one caller only, without callers waiting for each other: on
    /// PostgreSQL `FOR UPDATE SKIP LOCKED` in the statement that sets the lease; on SQLite the single writer
    /// ensures it. It has committed before it returns. A job whose lease ends without an outcome is due
    /// again.
    async fn lease_due(
        &self,
        now: OffsetDateTime,
        lease_for: Duration,
        most: u32,
    ) -> Result<Vec<Leased<W>>, StoreError>;

    /// Stores the outcome of an attempt and ends its lease.
    ///
    /// A job that is done or given up stays so. [`Outcome::Done`] is a fact and is accepted from every lease
    /// on a job that is still waiting; other outcomes only from the lease with the latest number. Otherwise
    /// the result is [`Recorded::LeaseLost`].
    async fn record(&self, lease: Lease<W::Entity>, outcome: &Outcome) -> Result<Recorded, StoreError>;
}
