//! What mail needs from outside: a place in transactions, a queue, a way to the mail server.

use async_trait::async_trait;
use kernel::StoreError;
use time::{Duration, OffsetDateTime};

use crate::outcome::Outcome;
use crate::queued::{Lease, LeasedMail, QueuedMail};

/// The outgoing mail of the transaction's account.
#[async_trait]
pub trait OutgoingMail: Send {
    /// Queues a mail, due at once. It is seen by a postman with the commit, and only then.
    async fn queue(&mut self, mail: &QueuedMail) -> Result<(), StoreError>;
}

/// What recording an outcome came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recorded {
    /// It is kept.
    Done,
    /// The lease had run out and somebody else has taken the mail since, or has finished with it: nothing was changed.
    LeaseLost,
}

/// The mails that wait for delivery, of every account. Several processes share it.
#[async_trait]
pub trait MailQueue: Send + Sync {
    /// Takes at most `most` mails that are due, longest due first, each leased until `now + lease_for` and with its number
    /// of attempts counted up.
    ///
    /// A mail is due when it is neither sent nor given up, its next attempt's time has come, and no lease on it holds. An
    /// implementation gives one mail to one caller only, without callers waiting for each other: on PostgreSQL `FOR UPDATE
    /// SKIP LOCKED` in the statement that sets the lease; on SQLite its single writer sees to it. It has committed before it
    /// answers. A lease that ends unrecorded makes the mail due again.
    async fn lease_due(
        &self,
        now: OffsetDateTime,
        lease_for: Duration,
        most: u32,
    ) -> Result<Vec<LeasedMail>, StoreError>;

    /// Keeps what came of the attempt that a lease was for, and ends the lease.
    ///
    /// A mail that is sent or given up stays so. [`Outcome::Sent`] is a fact and is taken from every lease on a mail that is
    /// still waiting; the other outcomes only from the lease with the latest number. Else it is [`Recorded::LeaseLost`].
    async fn record(&self, lease: Lease, outcome: &Outcome) -> Result<Recorded, StoreError>;
}

/// Why a mail did not go. The text is for the operator; it never holds a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// It may go later: the server is away, busy, or does not let us in.
    #[error("{0}")]
    Temporary(String),
    /// It will never go: the server refused this mail for good.
    #[error("{0}")]
    Permanent(String),
}

/// A way to the mail server.
#[async_trait]
pub trait Transport: Send + Sync {
    /// Hands a mail over. `Ok` when the other side has taken the responsibility for it.
    ///
    /// An implementation ends well within [`Postman::LEASE`](crate::Postman::LEASE), and gives each attempt at a mail the same
    /// `Message-ID`, made of its id.
    async fn send(&self, mail: &QueuedMail) -> Result<(), TransportError>;
}
