//! A replay of everything that was abandoned since an instant, and how far it is.

use kernel::{AccountId, Entity, Id};
use time::OffsetDateTime;

/// Names the replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BulkReplayEntity {}
impl Entity for BulkReplayEntity {
    const NAME: &'static str = "webhook_replay";
}

/// The id of a replay of many deliveries.
pub type BulkReplayId = Id<BulkReplayEntity>;

/// What an owner asked to be replayed at once, and how far that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BulkReplay {
    /// The replay's id.
    pub id: BulkReplayId,
    /// The account whose deliveries they are.
    pub account: AccountId,
    /// Deliveries that were abandoned at this instant or later, UTC.
    pub abandoned_since: OffsetDateTime,
    /// When it was asked for, UTC.
    pub requested_at: OffsetDateTime,
    /// How many deliveries there were to replay then.
    pub total: u64,
    /// How many were made anew.
    pub made: u64,
    /// When all were made anew, UTC.
    pub finished_at: Option<OffsetDateTime>,
}
