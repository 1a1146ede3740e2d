//! Where work waits: the port that a store fills.

use async_trait::async_trait;
use kernel::StoreError;
use time::{Duration, OffsetDateTime};

use crate::outcome::Outcome;
use crate::work::{Lease, Leased, Work};

/// What recording an outcome came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recorded {
    /// It is kept.
    Done,
    /// The lease had run out and somebody else has taken the work since, or has finished with it: nothing was changed.
    LeaseLost,
}

/// The work of one kind that waits to be done, of every account. Several processes share it.
#[async_trait]
pub trait Queue<W: Work>: Send + Sync {
    /// Takes at most `most` pieces of work that are due, longest due first, each leased until `now + lease_for` and with its
    /// number of attempts counted up.
    ///
    /// Work is due when it is neither done nor given up, its next attempt's time has come, and no lease on it holds. An
    /// implementation gives one piece to one caller only, without callers waiting for each other: on PostgreSQL `FOR UPDATE SKIP
    /// LOCKED` in the statement that sets the lease; on SQLite its single writer sees to it. It has committed before it answers.
    /// A lease that ends unrecorded makes the work due again.
    async fn lease_due(
        &self,
        now: OffsetDateTime,
        lease_for: Duration,
        most: u32,
    ) -> Result<Vec<Leased<W>>, StoreError>;

    /// Keeps what came of the attempt that a lease was for, and ends the lease.
    ///
    /// Work that is done or given up stays so. [`Outcome::Done`] is a fact and is taken from every lease on work that is still
    /// waiting; the other outcomes only from the lease with the latest number. Else it is [`Recorded::LeaseLost`].
    async fn record(
        &self,
        lease: Lease<W::Entity>,
        outcome: &Outcome,
    ) -> Result<Recorded, StoreError>;
}
