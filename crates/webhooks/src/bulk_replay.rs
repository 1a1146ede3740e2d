//! A replay of all deliveries that were abandoned since an instant, and its progress.

use kernel::{AccountId, Id};
use time::OffsetDateTime;

/// Marks ids of replays.
pub enum BulkReplayEntity {}

/// The id of a replay of many deliveries.
pub type BulkReplayId = Id<BulkReplayEntity>;

/// A replay of many deliveries that an owner requested, and its progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BulkReplay {
    /// The replay's id.
    pub id: BulkReplayId,
    /// The account of the deliveries.
    pub account: AccountId,
    /// Replays deliveries abandoned at this instant or later, UTC.
    pub abandoned_since: OffsetDateTime,
    /// When it was requested, UTC.
    pub requested_at: OffsetDateTime,
    /// How many deliveries there were to replay at that time; an unfinished replay may make some of them.
    pub total: u64,
    /// How many new ones were made so far.
    pub made: u64,
    /// When all deliveries were made, UTC.
    pub finished_at: Option<OffsetDateTime>,
}
