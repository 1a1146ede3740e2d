//! The ports of idempotency to the store.

use async_trait::async_trait;
use kernel::{AccountId, Commit, StoreResult};

use crate::key::Ticket;
use crate::stored_response::{IdempotentOutcome, StoredResponse};

/// The result of claiming a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// The key was free and is locked by this transaction until the transaction ends.
    Fresh,
    /// The key was used before or is in use: the request ends with this outcome.
    Taken(IdempotentOutcome),
}

/// The stored responses of the transaction's account.
#[async_trait]
pub trait StoredResponses: Send {
    /// Claims the ticket's key for the rest of this transaction.
    ///
    /// An implementation does not wait for another transaction that has claimed the same key, but returns
    /// [`IdempotentOutcome::InFlight`]. The claim ends with the transaction, committed or rolled back.
    async fn claim(&mut self, ticket: &Ticket) -> StoreResult<Claim>;

    /// Stores the response of a claimed ticket. It becomes visible with the commit.
    async fn store(&mut self, ticket: &Ticket, response: &StoredResponse) -> StoreResult<()>;

    /// Replaces the body of each stored response that contains a text by what a function makes of it; with
    /// `None` the body stays. Status and key stay, so that a repeated request is not carried out again.
    async fn rewrite(&mut self, containing: &str, rewrite: &Rewrite<'_>) -> StoreResult<()>;
}

/// Makes another body of the body of a stored response.
pub type Rewrite<'a> = dyn Fn(&[u8]) -> Option<Vec<u8>> + Sync + 'a;

/// A transaction that only stores a response.
pub trait StoredResponsesTx: Commit {
    fn stored_responses(&mut self) -> &mut dyn StoredResponses;
}

/// Begins transactions that only store a response, and deletes old responses.
#[async_trait]
pub trait StoredResponseStore: Send + Sync {
    /// Begins a transaction for an account.
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn StoredResponsesTx>>;

    /// Deletes at most `limit` responses of all accounts that were stored before an instant. Returns the
    /// number deleted.
    async fn prune(&self, instant: time::OffsetDateTime, limit: u32) -> StoreResult<u64>;
}
