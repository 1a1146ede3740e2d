//! What escalations need from the store.

use async_trait::async_trait;
use kernel::{AccountId, Commit, StoreError};
use webhooks::Events;

use crate::escalation::{Escalation, EscalationId};

/// The escalations of the transaction's account.
#[async_trait]
pub trait Escalations: Send {
    /// Whether the transaction's account is there. Accounts are never deleted.
    async fn has_account(&mut self) -> Result<bool, StoreError>;

    /// Inserts an escalation.
    async fn insert(&mut self, escalation: &Escalation) -> Result<(), StoreError>;

    /// Locks one escalation until the transaction ends. Another transaction that locks it waits, and then
    /// sees the changes of this one.
    async fn lock(&mut self, id: EscalationId) -> Result<Option<Escalation>, StoreError>;

    /// Writes a locked escalation.
    async fn update(&mut self, escalation: &Escalation) -> Result<(), StoreError>;
}

/// The transaction that raising and resolving need.
pub trait EscalationsTx: Commit {
    /// The account's escalations.
    fn escalations(&mut self) -> &mut dyn Escalations;
    /// The account's events.
    fn events(&mut self) -> &mut dyn Events;
}

/// Begins transactions on escalations.
#[async_trait]
pub trait EscalationsStore: Send + Sync {
    /// Begins a transaction for an account. Every query in it is limited to that account.
    async fn begin(&self, account: AccountId) -> Result<Box<dyn EscalationsTx>, StoreError>;
}

/// Reads escalations outside any transaction.
#[async_trait]
pub trait EscalationReads: Send + Sync {
    /// One escalation of the account.
    async fn get(&self, account: AccountId, id: EscalationId) -> Result<Option<Escalation>, StoreError>;
}
