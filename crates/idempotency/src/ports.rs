//! What idempotency needs from the store.

use async_trait::async_trait;
use kernel::{AccountId, Commit, StoreError};

use crate::key::Ticket;
use crate::stored_response::{IdempotentOutcome, StoredResponse};

/// What claiming a key finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// The key is free and now held by this transaction until it ends.
    Fresh,
    /// The key is taken or in use: the request ends with this, and the transaction has nothing more to do.
    Taken(IdempotentOutcome),
}

/// The stored responses of the transaction's account.
#[async_trait]
pub trait StoredResponses: Send {
    /// Claims the ticket's key for the rest of this transaction.
    ///
    /// An implementation sees at once, and does not wait for, a transaction that holds the same key: that is
    /// [`IdempotentOutcome::InFlight`]. Its hold ends with the transaction, however that ends.
    async fn claim(&mut self, ticket: &Ticket) -> Result<Claim, StoreError>;

    /// Keeps the answer to a claimed ticket. It becomes visible with the commit, and only then.
    async fn keep(&mut self, ticket: &Ticket, answer: &StoredResponse) -> Result<(), StoreError>;
}

/// A transaction that only keeps an answer.
pub trait StoredResponsesTx: Commit {
    /// The stored responses.
    fn stored_responses(&mut self) -> &mut dyn StoredResponses;
}

/// Begins transactions that only keep an answer, and forgets old answers.
#[async_trait]
pub trait StoredResponseStore: Send + Sync {
    /// Begins a transaction for an account.
    async fn begin(&self, account: AccountId) -> Result<Box<dyn StoredResponsesTx>, StoreError>;

    /// Deletes at most `most` answers that were kept before an instant, of every account; says how many it deleted.
    async fn forget_before(
        &self,
        instant: time::OffsetDateTime,
        most: u32,
    ) -> Result<u64, StoreError>;
}
