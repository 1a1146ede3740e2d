//! What the books need from outside: a place in transactions, a queue, the accounting system itself.

use async_trait::async_trait;
use kernel::StoreError;
use time::{Duration, OffsetDateTime};

use super::outcome::Outcome;
use super::task::{LeasedTask, LedgerInvoiceId, LedgerLease, LedgerTask, LedgerTaskId};
use crate::invoice::Invoice;

/// What the transaction's account has to do in the ledger.
#[async_trait]
pub trait LedgerQueue: Send {
    /// Queues a task, due at once. A bookkeeper sees it with the commit, and only then.
    async fn queue(&mut self, task: &LedgerTask) -> Result<(), StoreError>;
}

/// What recording an outcome came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recorded {
    /// It is kept.
    Done,
    /// The lease had run out and somebody else has taken the task since, or has finished with it: nothing was changed.
    LeaseLost,
}

/// The tasks that wait to be done, of every account. Several processes share them.
#[async_trait]
pub trait LedgerTasks: Send + Sync {
    /// Takes at most `most` tasks that are due, longest due first, each leased until `now + lease_for` and with its number of
    /// attempts counted up.
    ///
    /// A task is due when it is neither done nor given up, its next attempt's time has come, and no lease on it holds. An
    /// implementation gives one task to one caller only, without callers waiting for each other, and has committed before it
    /// answers. A lease that ends unrecorded makes the task due again.
    async fn lease_due(
        &self,
        now: OffsetDateTime,
        lease_for: Duration,
        most: u32,
    ) -> Result<Vec<LeasedTask>, StoreError>;

    /// Keeps what came of the attempt that a lease was for, and ends the lease.
    ///
    /// A task that is done or given up stays so. [`Outcome::Done`] is a fact and is taken from every lease on a task that is
    /// still waiting; the other outcomes only from the lease with the latest number. Else it is [`Recorded::LeaseLost`].
    async fn record(&self, lease: LedgerLease, outcome: &Outcome) -> Result<Recorded, StoreError>;
}

/// Why the ledger did not do what it was asked. The text is for the operator; it never holds a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    /// It may do it later: it is away, busy, or does not let us in.
    #[error("{0}")]
    Temporary(String),
    /// It will never do it: it refused this for good.
    #[error("{0}")]
    Permanent(String),
}

/// The accounting system.
///
/// An implementation ends each call well within [`Bookkeeper::LEASE`](super::Bookkeeper::LEASE).
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Enters an issued invoice and says which id the ledger gave it.
    ///
    /// An implementation enters one invoice for one key, however often it is called, and never changes an invoice that is in the
    /// ledger already: another one with the same number is a refusal.
    async fn push(
        &self,
        key: LedgerTaskId,
        invoice: &Invoice,
    ) -> Result<LedgerInvoiceId, LedgerError>;

    /// The id of this invoice, if a push whose answer was lost has entered it; `None` when it is not there or void.
    async fn find(&self, invoice: &Invoice) -> Result<Option<LedgerInvoiceId>, LedgerError>;

    /// Makes an invoice void. One that is void already is `Ok`.
    async fn void(&self, id: &LedgerInvoiceId) -> Result<(), LedgerError>;
}
