//! Deliveries: one event on its way to one endpoint.

use kernel::{AccountId, Id};
use strum::{EnumString, IntoStaticStr, VariantNames};
use time::{Duration, OffsetDateTime};

use crate::endpoint::EndpointId;
use crate::event::{EventId, EventName};
use crate::secret::SealedSecret;

/// Marks ids of deliveries.
pub enum DeliveryEntity {}

/// The id of a delivery.
pub type DeliveryId = Id<DeliveryEntity>;

/// The state of a delivery. Every state but the first is final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum DeliveryState {
    /// An attempt is due, in progress or scheduled.
    Pending,
    /// A receiver accepted it.
    Succeeded,
    /// Every attempt failed.
    Abandoned,
    /// Its endpoint was disabled or deleted before it succeeded.
    Stopped,
}

/// A delivery with its attempts, for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The delivery's id.
    pub id: DeliveryId,
    /// The event that is delivered.
    pub event: EventId,
    /// The event's name.
    pub name: EventName,
    /// The endpoint to deliver to.
    pub endpoint: EndpointId,
    /// The present address of the endpoint, or its last one if it was deleted.
    pub url: String,
    /// Whether it is pending, or how it ended.
    pub state: DeliveryState,
    /// How many attempts were begun. A begun attempt that is not in [`Delivery::attempts`] is in progress, or
    /// its process ended during it.
    pub begun: u32,
    /// The recorded attempts, oldest first.
    pub attempts: Vec<DeliveryAttempt>,
    /// For a pending delivery, when the next attempt is due, UTC; during an attempt, when the attempt would
    /// be repeated.
    pub next_attempt_at: Option<OffsetDateTime>,
    /// When the delivery was created, UTC.
    pub created_at: OffsetDateTime,
}

/// An attempt at a delivery, as logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryAttempt {
    /// Its number, from 1.
    pub number: u32,
    /// When it began, UTC.
    pub at: OffsetDateTime,
    /// How long it took, to the millisecond; `None` for attempts logged before durations were recorded.
    pub duration: Option<Duration>,
    /// The status of the response, if one began.
    pub response_status: Option<u16>,
    /// The beginning of the response's body, at most [`DeliveryAttempt::MAX_BODY`] bytes.
    pub response_body: Option<String>,
    /// Why there was no complete response.
    pub error: Option<String>,
}

impl DeliveryAttempt {
    /// How much of a response's body is stored, in bytes (decisions, "Webhooks").
    pub const MAX_BODY: usize = 2_048;
    /// How much of an error's text is stored, in characters.
    pub const MAX_ERROR: usize = 500;
}

/// The right to make one attempt at a delivery until a point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryLease {
    /// The account that the event belongs to.
    pub account: AccountId,
    /// The event.
    pub event: EventId,
    /// The delivery.
    pub id: DeliveryId,
    /// The number of this attempt, from 1. Each lease increases it. After a lease without an attempt, the
    /// next lease has the same number.
    pub attempt: u32,
    /// When the delivery is due again if no result is recorded, UTC. Together with the number it identifies
    /// this lease.
    pub until: OffsetDateTime,
}

/// A leased delivery with all data for its attempt.
#[derive(Debug, Clone)]
pub struct LeasedDelivery {
    /// The lease.
    pub lease: DeliveryLease,
    /// The endpoint to deliver to.
    pub endpoint: EndpointId,
    /// The endpoint's present address.
    pub url: String,
    /// The endpoint's signing secret.
    pub secret: SealedSecret,
    /// The event's body.
    pub body: String,
}

/// The result of a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryResult {
    /// The lease.
    pub lease: DeliveryLease,
    /// The attempt for the log; `None` when it was not made.
    pub attempt: Option<DeliveryAttempt>,
    /// What happens to the delivery.
    pub outcome: DeliveryOutcome,
}

/// What happens to a delivery after a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The receiver accepted it at this instant.
    Succeeded(OffsetDateTime),
    /// The attempt failed, and the next one is due at this instant.
    Retry(OffsetDateTime),
    /// The last attempt failed at this instant.
    Abandoned(OffsetDateTime),
    /// No attempt was made: the lease does not count, and another attempt is due at this instant.
    NotAttempted(OffsetDateTime),
}
