//! Deliveries: one event on its way to one endpoint.

use kernel::{AccountId, Entity, Id};
use strum::{EnumString, IntoStaticStr};
use time::{Duration, OffsetDateTime};

use crate::endpoint::EndpointId;
use crate::event::{EventId, EventName};
use crate::secret::SealedSecret;

/// Names the delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeliveryEntity {}
impl Entity for DeliveryEntity {
    const NAME: &'static str = "delivery";
}

/// The id of a delivery.
pub type DeliveryId = Id<DeliveryEntity>;

/// Where a delivery stands. Every state but the first is final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum DeliveryState {
    /// An attempt is due, under way or scheduled.
    Pending,
    /// A receiver took it.
    Succeeded,
    /// Every attempt failed.
    Abandoned,
    /// Its endpoint was disabled or deleted meanwhile.
    Stopped,
}

impl DeliveryState {
    /// The state's name (decisions, "Webhooks").
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Reads a state's name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

/// A delivery with its attempts, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Its id.
    pub id: DeliveryId,
    /// The event that is delivered.
    pub event: EventId,
    /// What happened.
    pub name: EventName,
    /// Where it goes.
    pub endpoint: EndpointId,
    /// Where it stands.
    pub state: DeliveryState,
    /// How many attempts were begun. One that is not among [`Delivery::attempts`] is under way, or its
    /// process ended in the midst of it.
    pub begun: u32,
    /// The attempts that were recorded, first to last.
    pub attempts: Vec<Attempt>,
    /// When the next attempt is due while it is pending, UTC; for one that is under way, when it would be
    /// made again.
    pub next_attempt_at: Option<OffsetDateTime>,
    /// When the delivery was made, UTC.
    pub created_at: OffsetDateTime,
}

/// An attempt at a delivery, as it is logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Its number, from 1.
    pub number: u32,
    /// When it began, UTC.
    pub at: OffsetDateTime,
    /// How long it took, to the millisecond; `None` for those that were logged before this was.
    pub duration: Option<Duration>,
    /// The status of the answer, when there was one.
    pub response_status: Option<u16>,
    /// The beginning of the answer's body, at most [`Attempt::LONGEST_BODY`] bytes.
    pub response_body: Option<String>,
    /// Why there was no answer.
    pub error: Option<String>,
}

impl Attempt {
    /// How much of an answer's body is kept, in bytes (decisions, "Webhooks").
    pub const LONGEST_BODY: usize = 2_048;
    /// How much of an error's text is kept, in characters.
    pub const LONGEST_ERROR: usize = 500;
}

/// The right to make one attempt at a delivery, for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryLease {
    /// The account that the event belongs to.
    pub account: AccountId,
    /// The event.
    pub event: EventId,
    /// The delivery.
    pub id: DeliveryId,
    /// Which attempt this is, from 1. Each lease counts, unless it is given back untried: then the next one
    /// has the same number.
    pub attempt: u32,
    /// When the delivery is due again if nothing is heard of the attempt, UTC. With the number it
    /// distinguishes this lease from every other one.
    pub until: OffsetDateTime,
}

/// A delivery with the lease to make one attempt at it, and all that the attempt needs.
#[derive(Debug, Clone)]
pub struct LeasedDelivery {
    /// The lease.
    pub lease: DeliveryLease,
    /// Where it goes.
    pub endpoint: EndpointId,
    /// The endpoint's address, as it is now.
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
    pub attempt: Option<Attempt>,
    /// What becomes of the delivery.
    pub outcome: DeliveryOutcome,
}

/// What becomes of a delivery after a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The receiver accepted it, at this instant.
    Succeeded(OffsetDateTime),
    /// It failed, and the next attempt is due then.
    Retry(OffsetDateTime),
    /// It failed for the last time, at this instant.
    Abandoned(OffsetDateTime),
    /// No attempt was made: it does not count, and another one is due at this instant.
    NotAttempted(OffsetDateTime),
}
