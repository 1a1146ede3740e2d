//! The inbox: what came in, before it is known whose it is.

use async_trait::async_trait;
use contacts::ContactId;
use escalations::Channel;
use kernel::{AccountId, StoreError};
use time::OffsetDateTime;

use crate::address::Address;
use crate::message::{MessageId, MessageState};

/// Something that came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxItem {
    /// Its id, and that of the message that it becomes.
    pub id: MessageId,
    /// Tells it from all others: the provider's id, or the digest of the raw bytes.
    pub key: String,
    /// How it came in.
    pub channel: Channel,
    /// The number that a text message came from. An e-mail says itself where it came from; that is noted
    /// here while it waits in quarantine.
    pub sender: Option<Address>,
    /// The raw message; `None` when it is no longer kept.
    pub content: Option<Vec<u8>>,
    /// When it came in, UTC.
    pub received_at: OffsetDateTime,
    /// Where it stands.
    pub state: MessageState,
    /// The account and the message that it became. The message is an earlier one where it came in twice.
    pub became: Option<(AccountId, MessageId)>,
    /// How often work on it began by a lease.
    pub attempts: u32,
    /// Why it was dropped or waits.
    pub detail: Option<String>,
}

/// An account whose message something in quarantine may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The account.
    pub account: AccountId,
    /// Whom the account wrote to last of those that fit; `None` where that contact is not known.
    pub contact: Option<ContactId>,
}

/// An item in quarantine, without its raw bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// That of the message that it becomes when the operator assigns it.
    pub id: MessageId,
    /// How it came in.
    pub channel: Channel,
    /// Why it waits.
    pub detail: Option<String>,
    /// Whose it may be.
    pub candidates: Vec<Candidate>,
}

/// What became of a message that a language model may be asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecondReadingOutcome {
    /// The answer was taken: what the message says is sure now.
    Taken,
    /// The answer was not one that counts.
    NotTaken,
    /// No answer came.
    Failed,
    /// It was not asked: enough questions were under way, or it failed too often just before.
    NotAsked,
}

/// Is told what became of each item when it was worked on.
#[cfg_attr(test, mockall::automock)]
pub trait InboundMonitor: Send + Sync {
    /// An item got this state: handled, quarantined, automatic or dropped.
    fn settled(&self, state: MessageState);

    /// A language model might be asked about an item, and this became of that.
    fn read_again(&self, outcome: SecondReadingOutcome);
}

/// The inbox of all accounts.
#[async_trait]
pub trait Inbox: Send + Sync {
    /// Stores what came in. Returns the id of what came in with the same key before, where there is one.
    async fn keep(&self, item: &InboxItem) -> Result<MessageId, StoreError>;

    /// One item.
    async fn item(&self, id: MessageId) -> Result<Option<InboxItem>, StoreError>;

    /// Items that are stored and due, at most `most`, which become due again at the end of the lease.
    async fn lease(
        &self,
        now: OffsetDateTime,
        until: OffsetDateTime,
        most: u32,
    ) -> Result<Vec<MessageId>, StoreError>;

    /// Notes where an item that is no account's stands. `false`, and nothing is noted, when it was settled
    /// meanwhile.
    async fn settle(
        &self,
        id: MessageId,
        state: MessageState,
        detail: Option<&str>,
    ) -> Result<bool, StoreError>;

    /// What waits in quarantine, the first first.
    async fn quarantined(&self, most: u32) -> Result<Vec<Quarantined>, StoreError>;

    /// How much waits in quarantine.
    async fn count_quarantined(&self) -> Result<u64, StoreError>;

    /// Whose an item in quarantine may be.
    async fn candidates(&self, id: MessageId) -> Result<Vec<Candidate>, StoreError>;

    /// Ends the holds of an item that left quarantine.
    async fn release(&self, id: MessageId) -> Result<(), StoreError>;

    /// Removes the raw bytes of what came in before an instant, at most `most`. Returns how many it were.
    async fn forget_content(&self, received_before: OffsetDateTime, most: u32) -> Result<u64, StoreError>;
}
