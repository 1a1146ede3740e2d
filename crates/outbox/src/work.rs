//! Work, and the right to make one attempt at it.

use kernel::{AccountId, Entity, Id};
use time::{Duration, OffsetDateTime};

/// How long work is leased for one attempt: far longer than an attempt takes, so that a lease runs out only when its process is
/// gone.
pub const LEASE: Duration = Duration::minutes(5);

/// One thing that is to happen after a commit.
pub trait Work: Clone + Send + Sync + 'static {
    /// Names the kind of work.
    type Entity: Entity + 'static;

    /// Which one this is. Every attempt at it has this id, by which the other side can know a second attempt from a second thing.
    fn id(&self) -> Id<Self::Entity>;

    /// The account for which it is done.
    fn account(&self) -> AccountId;

    /// When it was queued, UTC. Its age counts from here.
    fn queued_at(&self) -> OffsetDateTime;
}

/// The right to make one attempt at a piece of work, for a while.
#[derive(Debug, PartialEq, Eq)]
pub struct Lease<E: Entity> {
    /// The work.
    pub id: Id<E>,
    /// The account for which it is done.
    pub account: AccountId,
    /// Which attempt this is, from 1. Each lease counts, so two holders of leases on one piece of work have different numbers.
    pub attempt: u32,
}

impl<E: Entity> Clone for Lease<E> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<E: Entity> Copy for Lease<E> {}

/// A piece of work with the lease to make one attempt at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leased<W> {
    /// The work.
    pub work: W,
    /// Which attempt this is, from 1.
    pub attempt: u32,
}

impl<W: Work> Leased<W> {
    /// The lease alone.
    #[must_use]
    pub fn lease(&self) -> Lease<W::Entity> {
        Lease {
            id: self.work.id(),
            account: self.work.account(),
            attempt: self.attempt,
        }
    }
}
