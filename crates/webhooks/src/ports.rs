//! What webhooks need from outside: a place in transactions, a queue, a way to the receivers.

use std::time::Duration;

use async_trait::async_trait;
use kernel::{AccountId, Commit, HttpsUrl, Operator, StoreError};
use outbox::{LeaseRequest, LeasedBatch, NewJob};
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
    /// Writes an event, and one delivery of it, due at once, for each enabled endpoint of the account that is
    /// subscribed to it. The deliveries take their ids from `ids`, which are as many as an account can have
    /// enabled endpoints. Both are seen with the commit, and only then; after it,
    /// [`DeliverySignal::published`] answers.
    async fn publish(
        &mut self,
        event: &Event,
        ids: &[DeliveryId; Endpoint::MOST_ENABLED],
    ) -> Result<(), StoreError>;
}

/// The endpoints of the accounts in the transaction's scope: one account, or those of one partner.
#[async_trait]
pub trait Endpoints: Send {
    /// Every endpoint of an account that is not deleted, oldest first, held until the transaction ends:
    /// another one that asks for them waits. `None` when the account is not in the transaction's scope.
    async fn lock_all(&mut self, account: AccountId) -> Result<Option<Vec<Endpoint>>, StoreError>;

    /// Inserts an endpoint of a held account.
    async fn insert(&mut self, endpoint: &Endpoint, secret: &SealedSecret) -> Result<(), StoreError>;

    /// Writes a held endpoint back. One that is not enabled gets no more attempts: with it, what is pending
    /// for it becomes stopped.
    async fn update(&mut self, endpoint: &Endpoint) -> Result<(), StoreError>;

    /// Deletes a held endpoint: its secret is wiped, what is pending for it becomes stopped, and the log of
    /// its deliveries stays.
    async fn delete(&mut self, endpoint: &Endpoint, now: OffsetDateTime) -> Result<(), StoreError>;
}

/// The transaction that managing endpoints needs.
pub trait EndpointsTx: Commit {
    /// The account's endpoints.
    fn endpoints(&mut self) -> &mut dyn Endpoints;
}

/// Begins transactions on endpoints, and reads them.
#[async_trait]
pub trait EndpointsStore: Send + Sync {
    /// Begins a transaction for an account. Every query in it is held to that account.
    async fn begin(&self, account: AccountId) -> Result<Box<dyn EndpointsTx>, StoreError>;

    /// Every endpoint of an account that is not deleted, oldest first. `None` when there is no such account.
    async fn list(&self, account: AccountId) -> Result<Option<Vec<Endpoint>>, StoreError>;

    /// The account of an endpoint that is not deleted, for the operator, who names endpoints alone.
    async fn account_of(
        &self,
        operator: Operator,
        endpoint: EndpointId,
    ) -> Result<Option<AccountId>, StoreError>;
}

/// The deliveries of every account. Several processes share them.
#[async_trait]
pub trait DeliveryQueue: Send + Sync {
    /// Leases deliveries that are due, longest due first: each is due again at
    /// [`DeliverySchedule::lease_until`], and its number of attempts is increased, before this returns.
    ///
    /// A delivery is due when it is pending, its time has come, attempts are left, and its endpoint is
    /// enabled. An implementation gives one delivery to one caller only, without callers waiting for each
    /// other: on PostgreSQL `FOR UPDATE SKIP LOCKED` in the statement that sets the lease; on SQLite the
    /// single writer ensures it.
    async fn lease_due(
        &self,
        request: LeaseRequest<'_, EndpointId>,
        schedule: &DeliverySchedule,
    ) -> Result<LeasedBatch<LeasedDelivery>, StoreError>;

    /// Those of the endpoints that are enabled, with their present addresses, in one round trip.
    async fn enabled_urls(
        &self,
        endpoints: &[(AccountId, EndpointId)],
    ) -> Result<Vec<(EndpointId, String)>, StoreError>;

    /// Records the results of leases, all or nothing: each attempt in the log, and each delivery's new state.
    ///
    /// A success is a fact and is accepted from every lease on a delivery; the other outcomes only from the
    /// lease with the latest number, on a delivery that is still pending.
    /// [`DeliveryOutcome::NotAttempted`](crate::DeliveryOutcome::NotAttempted) takes back its number, which
    /// the next lease has again: it is accepted only while the delivery is due at that very lease's end.
    /// Recording a result again changes nothing.
    ///
    /// In the same transaction the owner's mail about an abandoned delivery is queued
    /// ([`AbandonedDelivery::mail`](crate::AbandonedDelivery::mail)), unless the owner switched those off or
    /// was mailed about its endpoint within
    /// [`AbandonedDelivery::MAILED_ONCE_IN`](crate::AbandonedDelivery::MAILED_ONCE_IN).
    async fn record(&self, results: &[DeliveryResult]) -> Result<(), StoreError>;

    /// Finishes deliveries that no lease will finish: those whose last attempt was lost with its process
    /// become abandoned, those of an endpoint that was disabled or deleted in the moment when they were made
    /// become stopped. At most `most` of each; how many it was. The owner is mailed about those that become
    /// abandoned as [`DeliveryQueue::record`] does.
    async fn sweep(&self, now: OffsetDateTime, most_attempts: u32, most: u32) -> Result<u64, StoreError>;

    /// Forgets at most `most` deliveries that were finished before an instant, with their attempts, and
    /// events as old that have no delivery left. How many deliveries and events it was; 0 when there is
    /// nothing left to forget.
    async fn prune(&self, before: OffsetDateTime, most: u32) -> Result<u64, StoreError>;
}

/// Signals that deliveries may have become due at once.
#[async_trait]
pub trait DeliverySignal: Send + Sync {
    /// Answers soon after an event with deliveries was committed, by this process or, where the database can
    /// tell, by another one. It may answer without reason. What was published between two calls is not
    /// missed, as far as this process knows of it: a caller looks at the queue now and then all the same.
    async fn published(&self);
}

/// A page of deliveries that is asked for.
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
    /// Only those behind this one, which a page before ended with.
    pub after: Option<DeliveryId>,
    /// How many at the most.
    pub limit: u32,
}

impl DeliveryFilter {
    /// The newest deliveries, at most `limit`.
    #[must_use]
    pub const fn newest(limit: u32) -> Self {
        Self { endpoint: None, event: None, state: None, from: None, before: None, after: None, limit }
    }
}

/// A delivery with all that its attempts are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedDelivery {
    /// The delivery with its attempts.
    pub delivery: Delivery,
    /// The address of its endpoint, as it is now.
    pub url: String,
    /// Whether its endpoint is enabled.
    pub enabled: bool,
    /// The event's body.
    pub body: String,
    /// The endpoint's signing secret; `None` once the endpoint is deleted.
    pub secret: Option<SealedSecret>,
}

/// Reads deliveries and makes new ones of them.
#[async_trait]
pub trait DeliveryLog: Send + Sync {
    /// Deliveries of an account with their attempts, newest event first. The number of round trips does not
    /// depend on how many.
    async fn list(&self, account: AccountId, filter: DeliveryFilter) -> Result<Vec<Delivery>, StoreError>;

    /// One delivery of an account; `None` when it has none with this id.
    async fn get(&self, account: AccountId, id: DeliveryId) -> Result<Option<LoggedDelivery>, StoreError>;

    /// Writes an event and one delivery of it, due at once, to one endpoint of the event's account, whatever
    /// it is subscribed to. `false`, and nothing was written, when the endpoint is not enabled.
    async fn publish_to(
        &self,
        endpoint: EndpointId,
        event: &Event,
        delivery: DeliveryId,
    ) -> Result<bool, StoreError>;

    /// Does for a finished delivery of an account what [`DeliveryLog::replay`] does for any.
    async fn replay_own(
        &self,
        account: AccountId,
        delivery: DeliveryId,
        new: DeliveryId,
        now: OffsetDateTime,
    ) -> Result<Replay, StoreError>;

    /// Makes a new delivery, due now, of the same event to the same endpoint as a finished one, with attempts
    /// of its own.
    async fn replay(
        &self,
        operator: Operator,
        delivery: DeliveryId,
        new: DeliveryId,
        now: OffsetDateTime,
    ) -> Result<Replay, StoreError>;

    /// Makes new deliveries, due now, of an account's abandoned ones that were given up at or after an
    /// instant: at most as many as there are new ids, oldest first. Those whose endpoint is not enabled, and
    /// those whose event has since been delivered to their endpoint or is on its way there again, are left
    /// out; so the caller asks until fewer come than there were ids.
    async fn replay_abandoned(
        &self,
        account: AccountId,
        since: OffsetDateTime,
        new: &[DeliveryId],
        now: OffsetDateTime,
    ) -> Result<Vec<Delivery>, StoreError>;

    /// How many deliveries of an account [`DeliveryLog::replay_abandoned`] would make in all.
    async fn count_abandoned(&self, account: AccountId, since: OffsetDateTime) -> Result<u64, StoreError>;

    /// Stores a replay of many deliveries, and queues its job, both or neither.
    async fn insert_bulk_replay(&self, replay: &BulkReplay, job: NewJob) -> Result<(), StoreError>;

    /// A replay of many deliveries of an account.
    async fn bulk_replay(
        &self,
        account: AccountId,
        id: BulkReplayId,
    ) -> Result<Option<BulkReplay>, StoreError>;

    /// Adds to how many deliveries a replay has made, and notes when it was finished.
    async fn note_bulk_replay(
        &self,
        account: AccountId,
        id: BulkReplayId,
        made: u64,
        finished_at: Option<OffsetDateTime>,
    ) -> Result<(), StoreError>;
}

/// What replaying a delivery came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replay {
    /// The new delivery.
    Made(Box<Delivery>),
    /// There is no finished delivery with this id.
    NotFinished,
    /// Its endpoint is disabled or deleted.
    EndpointOff,
}

/// Reads sealed secrets and writes them anew, when the master key changes.
#[async_trait]
pub trait SealedSecrets: Send + Sync {
    /// At most `most` secrets that do not begin with `mark`, behind the endpoint that the batch before ended
    /// with.
    async fn not_marked(
        &self,
        operator: Operator,
        mark: &[u8],
        after: Option<(AccountId, EndpointId)>,
        most: u32,
    ) -> Result<Vec<(AccountId, EndpointId, SealedSecret)>, StoreError>;

    /// Replaces secrets, each only where the old one still stands. How many it was.
    async fn replace(
        &self,
        operator: Operator,
        secrets: &[(AccountId, EndpointId, SealedSecret, SealedSecret)],
    ) -> Result<u64, StoreError>;
}

/// Why an address is no target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TargetRefused(pub String);

/// Looks at the addresses behind a target before it is registered.
#[async_trait]
pub trait TargetGuard: Send + Sync {
    /// Refuses a target that is, or whose name resolves to, an address that is not public. A name that does
    /// not resolve is taken: it is looked at again in each attempt.
    async fn check(&self, url: &HttpsUrl) -> Result<(), TargetRefused>;
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// Its status.
    pub status: u16,
    /// The beginning of its body, at most [`Attempt::LONGEST_BODY`](crate::Attempt::LONGEST_BODY) bytes.
    pub body: Vec<u8>,
}

/// Why there was no answer. The text is for readers of the log of attempts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The time was up.
    #[error("no complete answer within {} seconds", .0.as_secs_f32())]
    TimedOut(Duration),
    /// The target is not to be called, or there is no way to it, or the answer broke off.
    #[error("{0}")]
    Failed(String),
}

/// A way to the receivers.
#[async_trait]
pub trait Sender: Send + Sync {
    /// Posts a body, with the headers of a delivery (contract, "Delivery"), and reads what is answered.
    ///
    /// An implementation ends within `limit`, follows no redirect, uses no proxy, connects only to addresses
    /// that are public, and reads no more of an answer than it keeps.
    async fn send(
        &self,
        url: &HttpsUrl,
        body: &str,
        signature: &str,
        limit: Duration,
    ) -> Result<Response, SendError>;
}
