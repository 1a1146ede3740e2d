//! The ports of webhooks: the store's transactions, the queue, and sending to receivers.

use std::ops::RangeInclusive;
use std::time::Duration;

use async_trait::async_trait;
use kernel::{AccountId, Commit, HttpsUrl, Operator, StoreResult};
use outbox::{LeaseRequest, LeasedBatch, NewJob, Unrecorded};
use time::OffsetDateTime;

use crate::bulk_replay::{BulkReplay, BulkReplayId};
use crate::delivery::{Delivery, DeliveryId, DeliveryResult, DeliveryState, LeasedDelivery};
use crate::delivery_schedule::DeliverySchedule;
use crate::endpoint::{Endpoint, EndpointId};
use crate::event::{Event, EventName};
use crate::secret::SealedSecret;

/// The events of the transaction's account.
#[async_trait]
pub trait Events: Send {
    /// Stores an event, and one delivery of it, due at once, for each enabled endpoint of the account that is
    /// subscribed to it. The deliveries take their ids from `ids`, which has one for each endpoint that an
    /// account can have enabled. Both become visible with the commit; after it, [`DeliverySignal::published`]
    /// returns.
    async fn publish(&mut self, event: &Event, ids: &[DeliveryId; Endpoint::MAX_ENABLED]) -> StoreResult<()>;
}

/// The endpoints of the accounts in the transaction's scope: one account, or those of one partner.
#[async_trait]
pub trait Endpoints: Send {
    /// All endpoints of an account that are not deleted, oldest first, locked until the transaction ends:
    /// other transactions that lock them wait. `None` when the account is not in the transaction's scope.
    async fn lock_all(&mut self, account: AccountId) -> StoreResult<Option<Vec<Endpoint>>>;

    /// Inserts an endpoint of a locked account.
    async fn insert(&mut self, endpoint: &Endpoint, secret: &SealedSecret) -> StoreResult<()>;

    /// Updates a locked endpoint. If it is disabled, its pending deliveries become stopped in the same
    /// transaction.
    async fn update(&mut self, endpoint: &Endpoint) -> StoreResult<()>;

    /// Deletes a locked endpoint: its secret is erased, its pending deliveries become stopped, and the log of
    /// its deliveries stays.
    async fn delete(&mut self, endpoint: &Endpoint, now: OffsetDateTime) -> StoreResult<()>;
}

/// The transaction that managing endpoints needs.
pub trait EndpointsTx: Commit {
    /// The account's endpoints.
    fn endpoints(&mut self) -> &mut dyn Endpoints;
}

/// Begins transactions on endpoints, and reads them.
#[async_trait]
pub trait EndpointsStore: Send + Sync {
    /// Begins a transaction for an account. Every query in it is limited to that account.
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn EndpointsTx>>;

    /// All endpoints of an account that are not deleted, oldest first. `None` when there is no such account.
    async fn list(&self, account: AccountId) -> StoreResult<Option<Vec<Endpoint>>>;

    /// The account of an endpoint that is not deleted, for the operator, who knows only the endpoint.
    async fn account_of(&self, operator: Operator, endpoint: EndpointId) -> StoreResult<Option<AccountId>>;
}

/// The deliveries of every account. Several processes share them.
#[async_trait]
pub trait DeliveryQueue: Send + Sync {
    /// Leases due deliveries, those due longest first. Before this returns, each one's next attempt is set to
    /// [`DeliverySchedule::lease_until`], and its number of attempts is increased.
    ///
    /// A delivery is due when it is pending, its time has come, attempts are left, and its endpoint is
    /// enabled. An implementation gives each delivery to one caller only, without callers waiting for each
    /// other: on PostgreSQL `FOR UPDATE SKIP LOCKED` in the statement that sets the lease; on SQLite the
    /// single writer ensures it.
    ///
    /// A failure after some deliveries were leased is logged, and these are returned: otherwise their
    /// attempts would count without being made.
    async fn lease_due(
        &self,
        request: LeaseRequest<'_, EndpointId>,
        schedule: &DeliverySchedule,
    ) -> StoreResult<LeasedBatch<LeasedDelivery>>;

    /// Those of the given endpoints that are enabled, with their present addresses, in one round trip.
    async fn enabled_urls(
        &self,
        endpoints: &[(AccountId, EndpointId)],
    ) -> StoreResult<Vec<(EndpointId, String)>>;

    /// Records the results of leases: each attempt in the log, and each delivery's new state. The results of
    /// one account are recorded all or not at all, and the error has those that are not.
    ///
    /// A success is a fact and is accepted from any lease on a delivery; other outcomes only from the lease
    /// with the latest number, on a delivery that is still pending.
    /// [`DeliveryOutcome::NotAttempted`](crate::DeliveryOutcome::NotAttempted) gives back its number to the
    /// next lease: it is accepted only while the delivery is due at the end of this very lease. Recording a
    /// result again changes nothing.
    ///
    /// In the same transaction the owner's mail about an abandoned delivery is queued
    /// ([`AbandonedDelivery::mail`](crate::AbandonedDelivery::mail)), unless the owner switched these mails
    /// off or was mailed about its endpoint within
    /// [`AbandonedDelivery::MAILED_ONCE_IN`](crate::AbandonedDelivery::MAILED_ONCE_IN).
    async fn record(&self, results: &[DeliveryResult]) -> Result<(), Vec<Unrecorded<DeliveryResult>>>;

    /// Whether the store can fail for one account while it works for the others, because they are on several
    /// servers. Then it leases no deliveries of an account soon after it was unavailable to
    /// [`DeliveryQueue::record`].
    fn accounts_fail_alone(&self) -> bool {
        false
    }

    /// Finishes deliveries that no lease will finish: those whose last attempt was lost with its process
    /// become abandoned, and those made while their endpoint was being disabled or deleted become stopped. At
    /// most `limit` of each; returns how many. The owner is mailed about abandoned ones as in
    /// [`DeliveryQueue::record`].
    async fn finish_lost(&self, now: OffsetDateTime, max_attempts: u32, limit: u32) -> StoreResult<u64>;

    /// Deletes at most `limit` deliveries that were finished before an instant, with their attempts, and
    /// events of that age without deliveries. Returns how many deliveries and events were deleted; 0 when
    /// nothing is left to delete.
    async fn prune(&self, before: OffsetDateTime, limit: u32) -> StoreResult<u64>;
}

/// Signals that deliveries may have become due at once.
#[async_trait]
pub trait DeliverySignal: Send + Sync {
    /// Returns soon after an event with deliveries was committed, by this process or, if the database can
    /// notify, by another one. It may return without a reason. Events published by this process between two
    /// calls are not missed; a caller polls the queue from time to time as well.
    async fn published(&self);
}

/// Which deliveries a page contains.
#[derive(Debug, Clone, Copy)]
pub struct DeliveryFilter {
    /// Only those to this endpoint.
    pub endpoint: Option<EndpointId>,
    /// Only those of this event.
    pub event: Option<EventName>,
    /// Only those in this state.
    pub state: Option<DeliveryState>,
    /// Only those of events that happened at this instant or later, UTC, to the millisecond.
    pub from: Option<OffsetDateTime>,
    /// Only those of events that happened before this instant, UTC, to the millisecond.
    pub before: Option<OffsetDateTime>,
    /// Only those after this one, the last of the previous page.
    pub after: Option<DeliveryId>,
    /// The most deliveries on the page.
    pub limit: u32,
}

impl DeliveryFilter {
    /// The newest deliveries, at most `limit`.
    #[must_use]
    pub const fn newest(limit: u32) -> Self {
        Self { endpoint: None, event: None, state: None, from: None, before: None, after: None, limit }
    }
}

/// A delivery with the data that its attempts are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryRecord {
    /// The delivery with its attempts.
    pub delivery: Delivery,
    /// Whether its endpoint is enabled.
    pub enabled: bool,
    /// The event's body.
    pub body: String,
    /// The endpoint's signing secret; `None` once the endpoint is deleted.
    pub secret: Option<SealedSecret>,
}

/// Reads deliveries and makes new ones from them.
#[async_trait]
pub trait DeliveryStore: Send + Sync {
    /// Deliveries of an account with their attempts, newest event first. The number of round trips is
    /// independent of how many there are.
    async fn list(&self, account: AccountId, filter: DeliveryFilter) -> StoreResult<Vec<Delivery>>;

    /// One delivery of an account; `None` when the account has none with this id.
    async fn get(&self, account: AccountId, id: DeliveryId) -> StoreResult<Option<DeliveryRecord>>;

    /// Stores an event and one delivery of it, due at once, to one endpoint of the event's account,
    /// regardless of its subscriptions. `false` when the endpoint is not enabled: then nothing was stored.
    async fn publish_to(
        &self,
        endpoint: EndpointId,
        event: &Event,
        delivery: DeliveryId,
    ) -> StoreResult<bool>;

    /// The same as [`DeliveryStore::replay`], for a finished delivery of an account.
    async fn replay_own(
        &self,
        account: AccountId,
        delivery: DeliveryId,
        new: DeliveryId,
        now: OffsetDateTime,
    ) -> StoreResult<Replay>;

    /// Makes a new delivery, due now, of a finished delivery's event to the same endpoint, with its own
    /// attempts.
    async fn replay(
        &self,
        operator: Operator,
        delivery: DeliveryId,
        new: DeliveryId,
        now: OffsetDateTime,
    ) -> StoreResult<Replay>;

    /// Makes new deliveries, due now, from an account's deliveries that were abandoned at or after an
    /// instant: at most one for each new id, oldest first. Left out are deliveries whose endpoint is not
    /// enabled, and those whose event was since delivered to their endpoint or is pending there again. The
    /// caller repeats the call until it returns fewer deliveries than ids.
    async fn replay_abandoned(
        &self,
        account: AccountId,
        since: OffsetDateTime,
        new: &[DeliveryId],
        now: OffsetDateTime,
    ) -> StoreResult<Vec<Delivery>>;

    /// How many deliveries [`DeliveryStore::replay_abandoned`] would make for an account, of those that were
    /// abandoned in a period.
    async fn count_abandoned(
        &self,
        account: AccountId,
        abandoned: RangeInclusive<OffsetDateTime>,
    ) -> StoreResult<u64>;

    /// Stores a replay of many deliveries and queues its job, both or neither.
    async fn insert_bulk_replay(&self, replay: &BulkReplay, job: NewJob) -> StoreResult<()>;

    /// A replay of many deliveries of an account.
    async fn bulk_replay(&self, account: AccountId, id: BulkReplayId) -> StoreResult<Option<BulkReplay>>;

    /// The replay of an account that was requested at or after an instant, is not finished, and covers what
    /// was abandoned from another instant to its request; of several, the latest.
    async fn unfinished_bulk_replay(
        &self,
        account: AccountId,
        requested_since: OffsetDateTime,
        abandoned_since: OffsetDateTime,
    ) -> StoreResult<Option<BulkReplay>>;

    /// Makes new deliveries as [`DeliveryStore::replay_abandoned`] does, of those that were abandoned before
    /// the replay was requested, and counts them, both or neither. The replay is finished at `now` if fewer
    /// were made than there are ids. Returns how many were made.
    async fn advance_bulk_replay(
        &self,
        replay: &BulkReplay,
        new: &[DeliveryId],
        now: OffsetDateTime,
    ) -> StoreResult<usize>;
}

/// The result of replaying a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replay {
    /// The new delivery.
    Made(Box<Delivery>),
    /// There is no finished delivery with this id.
    NotFinished,
    /// Its endpoint is disabled or deleted.
    EndpointOff,
}

/// Reads sealed secrets and replaces them when the master key changes.
#[async_trait]
pub trait SealedSecrets: Send + Sync {
    /// At most `limit` secrets that do not begin with `key_prefix`, starting after the last endpoint of the
    /// previous batch.
    async fn sealed_under_other_keys(
        &self,
        operator: Operator,
        key_prefix: &[u8],
        after: Option<(AccountId, EndpointId)>,
        limit: u32,
    ) -> StoreResult<Vec<(AccountId, EndpointId, SealedSecret)>>;

    /// Replaces secrets, each only if the old one is still stored. Returns how many were replaced.
    async fn replace(
        &self,
        operator: Operator,
        secrets: &[(AccountId, EndpointId, SealedSecret, SealedSecret)],
    ) -> StoreResult<u64>;
}

/// Why an address is not an allowed target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TargetRefused(pub String);

/// Checks the addresses behind a target before the target is registered.
#[async_trait]
pub trait TargetGuard: Send + Sync {
    /// Refuses a target that is, or whose name resolves to, an address that is not public. A name that does
    /// not resolve is accepted, because every attempt checks again.
    async fn check(&self, url: &HttpsUrl) -> Result<(), TargetRefused>;
}

/// A receiver's response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiverResponse {
    /// The HTTP status code.
    pub status: u16,
    /// The beginning of the body, at most
    /// [`DeliveryAttempt::MAX_BODY`](crate::DeliveryAttempt::MAX_BODY) bytes.
    pub body: Vec<u8>,
}

/// Why there was no complete response. The log of attempts shows the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The time limit was reached before a response began.
    #[error("no complete response within {} seconds", .0.as_secs_f32())]
    TimedOut(Duration),
    /// The time limit was reached while the body of this response was coming.
    #[error("no complete response within {} seconds", .0.as_secs_f32())]
    Stalled(Duration, ReceiverResponse),
    /// The connection ended in the middle of the body of this response.
    #[error("the response broke off")]
    BrokeOff(ReceiverResponse),
    /// The URL is not an allowed target, the receiver cannot be reached, or no response began.
    #[error("{0}")]
    Failed(String),
}

impl SendError {
    /// What came of a response that is not complete.
    #[must_use]
    pub fn into_begun(self) -> Option<ReceiverResponse> {
        match self {
            Self::Stalled(_, response) | Self::BrokeOff(response) => Some(response),
            Self::TimedOut(_) | Self::Failed(_) => None,
        }
    }
}

/// Sends deliveries to receivers.
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Posts a body with the headers of a delivery (contract, "Delivery"), and reads the response.
    ///
    /// An implementation ends within `limit`, follows no redirects, uses no proxy, connects only to public
    /// addresses, and reads only as much of a response as it keeps. A response is complete when its body has
    /// ended or as much of it as is kept has come. The error contains what came of an incomplete one.
    async fn send(
        &self,
        url: &HttpsUrl,
        body: &str,
        signature: &str,
        limit: Duration,
    ) -> Result<ReceiverResponse, SendError>;
}
