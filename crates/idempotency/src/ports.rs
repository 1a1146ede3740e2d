//! What idempotency needs from the store.

use async_trait::async_trait;
use kernel::{AccountId, Commit, StoreError};

use crate::answer::{Answer, Settled};
use crate::key::Ticket;

/// What claiming a key finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// The key is free and now held by this transaction until it ends.
    Fresh,
    /// The key is taken or in use: the request ends with this, and the transaction has nothing more to do.
    Settled(Settled),
}

/// The kept answers of the transaction's account.
#[async_trait]
pub trait Answers: Send {
    /// Claims the ticket's key for the rest of this transaction.
    ///
    /// An implementation sees at once, and does not wait for, a transaction that holds the same key: that is
    /// [`Settled::InFlight`]. Its hold ends with the transaction, however that ends.
    async fn claim(&mut self, ticket: &Ticket) -> Result<Claim, StoreError>;

    /// Keeps the answer to a claimed ticket. It becomes visible with the commit, and only then.
    async fn keep(&mut self, ticket: &Ticket, answer: &Answer) -> Result<(), StoreError>;
}

/// A transaction that only keeps an answer.
pub trait AnswersTx: Commit {
    /// The kept answers.
    fn answers(&mut self) -> &mut dyn Answers;
}

/// Begins transactions that only keep an answer, and forgets old answers.
#[async_trait]
pub trait AnswerStore: Send + Sync {
    /// Begins a transaction for an account.
    async fn begin(&self, account: AccountId) -> Result<Box<dyn AnswersTx>, StoreError>;

    /// Deletes at most `most` answers that were kept before an instant, of every account; says how many it deleted.
    async fn forget_before(
        &self,
        instant: time::OffsetDateTime,
        most: u32,
    ) -> Result<u64, StoreError>;
}
