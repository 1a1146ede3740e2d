//! Jobs as transactions queue them and as workers lease them, and the two ports for this.

use async_trait::async_trait;
use kernel::{AccountId, Id, StoreResult};
use serde::Serialize;
use serde::de::DeserializeOwned;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::outcome::{NotDone, Outcome};

/// How long a job is leased for one attempt. An attempt takes far less, so a lease ends only if its process
/// has died or is paused ([`Lease::check`]).
pub const LEASE: Duration = Duration::minutes(5);

/// How long sending may take at most: a transport's time limits, all together, do not exceed it.
pub const LONGEST_SENDING: Duration = Duration::seconds(150);

/// The entity type of [`JobId`].
pub enum JobEntity {}

/// The id of a job. Every attempt has the same one, by which a receiver recognizes a repeated attempt.
pub type JobId = Id<JobEntity>;

/// What is to be done, with its kind: the payload of the jobs of one [`JobHandler`](crate::JobHandler).
pub trait Task: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The kind's name: stored with each job, and shown in logs and metrics. It never changes.
    const KIND: &'static str;
}

/// A job that a transaction queues. It is due at once.
#[derive(Clone, PartialEq, Eq)]
pub struct NewJob {
    /// The job's id.
    pub id: JobId,
    /// The account for which it is done.
    pub account: AccountId,
    /// Which handler does it: the [`Task::KIND`] of its payload.
    pub kind: &'static str,
    /// The record that it is about, such as an invoice.
    pub resource_id: Option<Uuid>,
    /// Whether it writes to a customer of the account. Such a job is held while the account is switched off
    /// or has `communications_enabled` off, and keeps the account's letterhead as of its commit.
    pub to_customer: bool,
    /// What the handler needs, as JSON.
    pub payload: String,
    /// When it was queued, UTC. Its age counts from here.
    pub queued_at: OffsetDateTime,
}

impl NewJob {
    /// The job of a task that is about no record and does not write to a customer.
    #[must_use]
    pub fn of<T: Task>(task: &T, id: JobId, account: AccountId, queued_at: OffsetDateTime) -> Self {
        // A struct of texts, numbers and lists always has a JSON form.
        let payload = serde_json::to_string(task).unwrap_or_default();
        Self { id, account, kind: T::KIND, resource_id: None, to_customer: false, payload, queued_at }
    }
}

/// The jobs that a transaction queues.
#[async_trait]
pub trait Jobs: Send {
    /// Queues a job. Workers see it once it is committed.
    ///
    /// It takes one statement. For a job that writes to a customer, that statement also stores the account's
    /// letterhead ([`Leased::letterhead`]): one JSON object with the account's columns `company_name`,
    /// `phone`, `abn`, `address_line1`, `address_city`, `address_state`, `address_postal_code`,
    /// `address_country`, `time_zone`, `brand_color`, `logo_key` and the owner's `email`.
    async fn queue(&mut self, job: NewJob) -> StoreResult<()>;

    /// Queues jobs; a store may do it in fewer statements where none writes to a customer.
    async fn queue_all(&mut self, jobs: Vec<NewJob>) -> StoreResult<()> {
        for job in jobs {
            self.queue(job).await?;
        }
        Ok(())
    }
}

/// The right to make one attempt at a job, until the lease ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    pub id: JobId,
    /// The account for which it is done.
    pub account: AccountId,
    /// Which attempt this is, from 1. After [`Outcome::Postponed`] the next lease has the same number.
    pub attempt: u32,
    /// When the lease ends, UTC. No other lease on the job ends at this instant.
    pub ends_at: OffsetDateTime,
}

impl Lease {
    /// Checks that the lease lasts for as long as sending may take. A handler asks this directly before what
    /// cannot be taken back: its process may have been paused for hours.
    ///
    /// # Errors
    /// [`NotDone::LeaseEnded`].
    pub fn check(&self, now: OffsetDateTime) -> Result<(), NotDone> {
        if now.saturating_add(LONGEST_SENDING) < self.ends_at { Ok(()) } else { Err(NotDone::LeaseEnded) }
    }
}

/// A job with the lease to make one attempt at it. The store has its payload as text, a handler as a parsed
/// type.
#[derive(Clone, PartialEq, Eq)]
pub struct Leased<P = String> {
    pub lease: Lease,
    /// When the job was queued, UTC.
    pub queued_at: OffsetDateTime,
    /// The account's letterhead as it was at the commit, as JSON; only jobs that write to customers have one.
    pub letterhead: Option<String>,
    /// What the handler needs.
    pub payload: P,
}

/// Without the payload: it holds links to payment pages and sealed secrets.
impl<P> std::fmt::Debug for Leased<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Leased").field("lease", &self.lease).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for NewJob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewJob").field("id", &self.id).field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// Which due jobs to lease.
#[derive(Debug, Clone, Copy)]
pub struct Due {
    pub kind: &'static str,
    /// Jobs whose time has come by this instant are due, UTC.
    pub now: OffsetDateTime,
    /// How long each is leased.
    pub lease_for: Duration,
    /// The most jobs to lease.
    pub limit: u32,
    /// The age from which a job that is held is leased all the same, so that it is given up; `None` for kinds
    /// without jobs that write to customers.
    pub held_at_most: Option<Duration>,
}

/// The result of recording an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recorded {
    /// The outcome is stored.
    Done,
    /// The lease had ended, and another worker has leased or finished the job since. Nothing was changed.
    LeaseLost,
}

/// The jobs of every kind and account. Several processes share the queue.
#[async_trait]
pub trait Queue: Send + Sync {
    /// Leases the jobs of one kind that have been due longest, each with its number of attempts increased.
    /// Those that write to customers come last: many of them may wait, and others may be links that somebody
    /// has asked for and that end soon. Returns each group in the order in which its jobs were queued.
    ///
    /// A job is due when it is neither done nor given up, its next attempt's time has come, and it is neither
    /// leased nor held, unless it was held for as long as [`Due::held_at_most`] says. An implementation gives
    /// one job to one caller only, without callers waiting for each other: on PostgreSQL `FOR UPDATE SKIP
    /// LOCKED` in the statement that sets the lease; on SQLite the single writer ensures it. It has committed
    /// before it returns. A job whose lease ends without an outcome is due again.
    ///
    /// A failure after some jobs were leased is logged, and these are returned: otherwise their attempts
    /// would count without being made.
    async fn lease_due(&self, due: Due) -> StoreResult<Vec<Leased>>;

    /// Whether a leased job is held by now ([`NewJob::to_customer`]): its account was switched off after the
    /// lease began, or its communications were.
    async fn is_held(&self, lease: Lease) -> StoreResult<bool>;

    /// Stores the outcome of an attempt and ends its lease.
    ///
    /// A job that is done or given up stays so. [`Outcome::Done`] is a fact and is accepted from every lease
    /// on a job that is still waiting; other outcomes only from the latest lease, and only once. Otherwise
    /// the result is [`Recorded::LeaseLost`]. [`Outcome::Postponed`] takes the attempt back: the next one has
    /// the same number.
    async fn record(&self, lease: Lease, outcome: &Outcome) -> StoreResult<Recorded>;

    /// Whether the store can fail for one account while it works for the others, because they are on several
    /// servers. Then it leases no jobs of an account soon after it was unavailable to [`Queue::record`].
    fn accounts_fail_alone(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use kernel::SystemIds;
    use time::macros::datetime;

    use super::*;

    #[test]
    fn lease_must_last_for_as_long_as_sending_may_take() {
        let ends_at = datetime!(2026-12-01 09:05 UTC);
        let ids = SystemIds::default();
        let lease =
            Lease { id: Id::new(&ids, ends_at), account: Id::new(&ids, ends_at), attempt: 1, ends_at };
        assert!(lease.check(ends_at - LONGEST_SENDING - Duration::SECOND).is_ok());
        assert!(matches!(lease.check(ends_at - LONGEST_SENDING), Err(NotDone::LeaseEnded)));
    }
}
