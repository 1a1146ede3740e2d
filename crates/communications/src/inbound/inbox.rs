//! The inbox: inbound messages before their account is known.

use async_trait::async_trait;
use contacts::ContactId;
use escalations::Channel;
use kernel::{AccountId, StoreResult};
use time::OffsetDateTime;

use crate::address::Address;
use crate::message::{MessageId, MessageState};

/// An inbound message in the inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxItem {
    /// Its id. The message that it becomes has the same id.
    pub id: MessageId,
    /// Identifies it among all items: the provider's id, or a digest of the raw bytes.
    pub key: String,
    /// The channel that it came by.
    pub channel: Channel,
    /// The number that a text message came from. An e-mail names its sender itself; the sender is copied here
    /// while the e-mail waits in quarantine.
    pub sender: Option<Address>,
    /// The raw message; `None` when it is no longer kept.
    pub content: Option<Vec<u8>>,
    /// When it was received, UTC.
    pub received_at: OffsetDateTime,
    /// How far its processing has come.
    pub state: MessageState,
    /// The account, and the message that it was stored as: an earlier message if it was received twice.
    pub stored_as: Option<(AccountId, MessageId)>,
    /// How many times it was leased.
    pub attempts: u32,
    /// Why it was dropped or is in quarantine.
    pub detail: Option<String>,
    /// How many files came with a text message. An e-mail contains its own.
    pub attachments: u32,
    /// Whether the provider of text messages recognised an opt-out.
    pub opts_out: bool,
}

/// An account that an item in quarantine may belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuarantineCandidate {
    /// The account.
    pub account: AccountId,
    /// The matching contact that the account wrote to last; `None` if that contact is not known.
    pub contact: Option<ContactId>,
}

/// An item in quarantine, without its raw bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// Its id. The message that it becomes when assigned has the same id.
    pub id: MessageId,
    /// The channel that it came by.
    pub channel: Channel,
    /// Why it is in quarantine.
    pub detail: Option<String>,
    /// The accounts that it may belong to.
    pub candidates: Vec<QuarantineCandidate>,
}

/// The outcome for a message that a language model could be asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelOutcome {
    /// The answer was accepted: what the message says is sure now.
    Taken,
    /// The answer was not accepted.
    NotTaken,
    /// The model gave no answer.
    Failed,
    /// The model was not asked: too many questions were in progress, or it had failed too often just before.
    NotAsked,
}

/// The right to handle an item once, until the lease ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InboxLease {
    /// Which item of the inbox is leased.
    pub id: MessageId,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// When the lease ends, UTC. No other lease on the item ends at this instant.
    pub ends_at: OffsetDateTime,
}

/// A change of the state of an item. Two workers may handle an item, and one of them may be late: it must
/// not undo what the other or the operator decided meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateChange {
    /// The state in which the item was read.
    pub from: MessageState,
    /// Its new state.
    pub to: MessageState,
}

/// Is notified of the outcome of each item of the inbox.
#[cfg_attr(test, mockall::automock)]
pub trait InboundMonitor: Send + Sync {
    /// An item got this state: handled, quarantined, automatic or dropped.
    fn settled(&self, state: MessageState);

    /// A language model could be asked about an item, with this outcome.
    fn language_model(&self, outcome: ModelOutcome);
}

/// The inbox of all accounts.
#[async_trait]
pub trait Inbox: Send + Sync {
    /// Stores an item. Returns its id, or that of an earlier item with the same key.
    async fn store(&self, item: &InboxItem) -> StoreResult<MessageId>;

    /// One item.
    async fn item(&self, id: MessageId) -> StoreResult<Option<InboxItem>>;

    /// Leases at most `limit` due items in state `stored`. They become due again when the lease ends.
    async fn lease(
        &self,
        now: OffsetDateTime,
        until: OffsetDateTime,
        limit: u32,
    ) -> StoreResult<Vec<InboxLease>>;

    /// Makes a leased item due at an instant, unless it was handled or leased again.
    async fn postpone(&self, lease: InboxLease, due_at: OffsetDateTime) -> StoreResult<()>;

    /// Changes the state of an item that is not assigned to an account. `false`, and nothing changes, when
    /// the item is no longer in the state that the change starts from.
    async fn settle(&self, id: MessageId, change: StateChange, detail: Option<&str>) -> StoreResult<bool>;

    /// Drops an item that is still in this state, with its raw bytes and its sender, and ends its holds.
    /// `false`, and nothing changes, when it is in another state.
    async fn drop_with_content(&self, id: MessageId, from: MessageState, detail: &str) -> StoreResult<bool>;

    /// Leaves an item in state `stored` to the operator. When it has no candidates, because their contacts
    /// were erased meanwhile, it is dropped as by [`drop_with_content`](Self::drop_with_content) with the
    /// detail `erased`. Returns its state; `None`, and nothing changes, when it was not in state `stored`.
    async fn quarantine(
        &self,
        id: MessageId,
        detail: &str,
        erased: &str,
    ) -> StoreResult<Option<MessageState>>;

    /// At most `limit` items in quarantine, oldest first.
    async fn quarantined(&self, limit: u32) -> StoreResult<Vec<Quarantined>>;

    /// The number of items in quarantine.
    async fn count_quarantined(&self) -> StoreResult<u64>;

    /// The accounts that an item in quarantine may belong to.
    async fn candidates(&self, id: MessageId) -> StoreResult<Vec<QuarantineCandidate>>;

    /// Ends the holds of an item that left quarantine.
    async fn release(&self, id: MessageId) -> StoreResult<()>;

    /// Removes the raw bytes of at most `limit` items that were received before an instant. Returns how many.
    async fn forget_content(&self, received_before: OffsetDateTime, limit: u32) -> StoreResult<u64>;
}
