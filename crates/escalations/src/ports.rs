//! The ports of escalations to the store.

use async_trait::async_trait;
use contacts::ContactId;
use kernel::{AccountId, Commit, StoreResult};
use mail::NoticeRecipient;
use outbox::Jobs;
use webhooks::Events;

use crate::escalation::{Escalation, EscalationId};
use crate::position::EscalationPosition;
use crate::terms::EscalationType;

/// The escalations of the transaction's account.
#[async_trait]
pub trait Escalations: Send {
    /// The owner of the transaction's account; `None` when there is no such account.
    async fn owner(&mut self) -> StoreResult<Option<NoticeRecipient>>;

    /// Locks the preferences of a contact until the transaction ends: a reminder of the contact that has not
    /// begun waits and then sees the changes of this transaction.
    async fn lock_preferences(&mut self, contact: ContactId) -> StoreResult<()>;

    /// Whether a contact was erased and has no address since, as [`contacts::Contacts::is_erased`] says.
    async fn is_erased(&mut self, contact: ContactId) -> StoreResult<bool>;

    /// The oldest open escalation of this contact and type.
    async fn open_of_contact(
        &mut self,
        contact: ContactId,
        escalation_type: EscalationType,
    ) -> StoreResult<Option<EscalationId>>;

    /// Inserts an escalation.
    async fn insert(&mut self, escalation: &Escalation) -> StoreResult<()>;

    /// Locks one escalation until the transaction ends. Another transaction that locks it waits, and then
    /// sees the changes of this one.
    async fn lock(&mut self, id: EscalationId) -> StoreResult<Option<Escalation>>;

    /// Updates a locked escalation.
    async fn update(&mut self, escalation: &Escalation) -> StoreResult<()>;
}

/// The transaction that raising and resolving need.
pub trait EscalationsTx: Commit {
    /// The account's escalations.
    fn escalations(&mut self) -> &mut dyn Escalations;
    /// The account's events.
    fn events(&mut self) -> &mut dyn Events;
    /// The account's background jobs.
    fn jobs(&mut self) -> &mut dyn Jobs;
}

/// Begins transactions on escalations.
#[async_trait]
pub trait EscalationsStore: Send + Sync {
    /// Begins a transaction for an account. Every query in it is limited to that account.
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn EscalationsTx>>;
}

/// Reads escalations outside any transaction.
#[async_trait]
pub trait EscalationReads: Send + Sync {
    /// One escalation of the account.
    async fn get(&self, account: AccountId, id: EscalationId) -> StoreResult<Option<Escalation>>;

    /// At most `limit` of the account's escalations after a position: open ones, then resolved ones, each
    /// newest first. Read in one snapshot, so that none is listed twice.
    async fn list(
        &self,
        account: AccountId,
        after: Option<EscalationPosition>,
        limit: usize,
    ) -> StoreResult<Vec<Escalation>>;

    /// At most `limit` escalations of the account, or of one of its contacts, newest first, after the one
    /// with an id. One that is resolved between two calls is listed once.
    async fn list_by_age(
        &self,
        account: AccountId,
        contact: Option<ContactId>,
        after: Option<EscalationId>,
        limit: usize,
    ) -> StoreResult<Vec<Escalation>>;
}
