//! Events and the bodies of their deliveries.

use kernel::{AccountId, Id, PublicUrls, instant_text};
use serde::Serialize;
use strum::VariantArray;
use time::OffsetDateTime;
use uuid::Uuid;

/// Marks ids of events.
pub enum EventEntity {}

/// The id of an event, which every attempt of every delivery of the event carries (contract, "Delivery": the
/// deduplication key).
pub type EventId = Id<EventEntity>;

/// All events, in the contract's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, VariantArray)]
pub enum EventName {
    /// A payment was recorded on an invoice.
    PaymentRecorded,
    /// An escalation was raised.
    EscalationCreated,
    /// An escalation was resolved.
    EscalationResolved,
}

impl EventName {
    /// Every event, in the contract's order.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// The name that endpoints subscribe to.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.definition().name
    }

    /// The number that stores a subscription to this event: a power of two, unique among events, that never
    /// changes.
    #[must_use]
    pub const fn bit(self) -> u8 {
        self.definition().bit
    }

    /// The names of all events, separated by commas.
    #[must_use]
    pub fn list() -> String {
        let names: Vec<_> = Self::ALL.iter().map(|event| event.as_str()).collect();
        names.join(", ")
    }

    /// Parses a name, compared exactly.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|name| name.as_str() == text)
    }

    const fn definition(self) -> Definition {
        match self {
            Self::PaymentRecorded => Definition {
                name: "invoice.payment_recorded",
                bit: 0b001,
                event_type: "Payment",
                category: "INVOICE",
                collection: "invoices",
            },
            Self::EscalationCreated => Definition {
                name: "escalation.created",
                bit: 0b010,
                event_type: "Created",
                category: "ESCALATION",
                collection: "escalations",
            },
            Self::EscalationResolved => Definition {
                name: "escalation.resolved",
                bit: 0b100,
                event_type: "Resolved",
                category: "ESCALATION",
                collection: "escalations",
            },
        }
    }
}

/// What all events of one name share.
struct Definition {
    name: &'static str,
    bit: u8,
    event_type: &'static str,
    category: &'static str,
    /// The collection of the event's resources in the API.
    collection: &'static str,
}

/// Something that happened, with the body that all deliveries of it share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The event's id.
    pub id: EventId,
    /// The account that it belongs to.
    pub account: AccountId,
    /// The event's name.
    pub name: EventName,
    /// The invoice or escalation concerned.
    pub resource: Uuid,
    /// The body of its deliveries, JSON, byte for byte (contract, "Delivery").
    pub body: String,
    /// When it happened, UTC.
    pub happened_at: OffsetDateTime,
}

/// The data that events of every name need.
#[derive(Debug, Clone)]
pub struct Occurrence {
    /// The event's id.
    pub id: EventId,
    /// The account that it belongs to.
    pub account: AccountId,
    /// When it happened, UTC.
    pub at: OffsetDateTime,
    /// Makes the resource's address.
    pub urls: PublicUrls,
}

/// The fields of an escalation in an event. The customer's text is left out: receivers read it from the
/// resource.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct EscalationFacts<'a> {
    /// The escalation's id, which is the resource id.
    #[serde(skip)]
    pub id: Uuid,
    /// `hardship`, `dispute`, `human_request` or `refused`.
    pub escalation_type: &'a str,
    /// `high`, `medium` or `low`.
    pub priority: &'a str,
    /// `email`, `sms` or `voice`.
    pub trigger_channel: &'a str,
    /// The invoice concerned.
    pub invoice_id: Option<Uuid>,
    /// The contact concerned.
    pub contact_id: Option<Uuid>,
}

/// The body: `{ events: [event] }`, always with one event.
#[derive(Serialize)]
struct Body<'a> {
    events: [EventBody<'a>; 1],
}

/// An event in a body. The order of the fields is the contract's.
#[derive(Serialize)]
struct EventBody<'a> {
    event_id: Uuid,
    resource_url: String,
    resource_id: Uuid,
    event_date_utc: String,
    event_type: &'static str,
    event_category: &'static str,
    account: Uuid,
    #[serde(flatten)]
    escalation: Option<&'a EscalationFacts<'a>>,
    #[serde(flatten)]
    resolution: Option<ResolutionBody<'a>>,
}

#[derive(Serialize)]
struct ResolutionBody<'a> {
    resolution_outcome: Option<&'a str>,
    resolved_at: String,
}

impl Event {
    /// A payment was recorded on an invoice. The event has no amount: the receiver fetches the invoice.
    #[must_use]
    pub fn payment_recorded(of: Occurrence, invoice: Uuid) -> Self {
        Self::of(of, EventName::PaymentRecorded, invoice, None, None)
    }

    /// An escalation was raised.
    #[must_use]
    pub fn escalation_created(of: Occurrence, facts: &EscalationFacts<'_>) -> Self {
        Self::of(of, EventName::EscalationCreated, facts.id, Some(facts), None)
    }

    /// An escalation was resolved, with this outcome, at this instant.
    #[must_use]
    pub fn escalation_resolved(
        of: Occurrence,
        facts: &EscalationFacts<'_>,
        outcome: Option<&str>,
        resolved_at: OffsetDateTime,
    ) -> Self {
        let resolution =
            ResolutionBody { resolution_outcome: outcome, resolved_at: instant_text(resolved_at) };
        Self::of(of, EventName::EscalationResolved, facts.id, Some(facts), Some(resolution))
    }

    /// An event of this name about a record that does not exist, for testing a receiver.
    #[must_use]
    pub fn sample(name: EventName, of: Occurrence, resource: Uuid) -> Self {
        let facts = EscalationFacts {
            id: resource,
            escalation_type: "human_request",
            priority: "medium",
            trigger_channel: "email",
            invoice_id: None,
            contact_id: None,
        };
        let at = of.at;
        match name {
            EventName::PaymentRecorded => Self::payment_recorded(of, resource),
            EventName::EscalationCreated => Self::escalation_created(of, &facts),
            EventName::EscalationResolved => Self::escalation_resolved(of, &facts, Some("other"), at),
        }
    }

    fn of(
        of: Occurrence,
        name: EventName,
        resource: Uuid,
        escalation: Option<&EscalationFacts<'_>>,
        resolution: Option<ResolutionBody<'_>>,
    ) -> Self {
        let Definition { event_type, category, collection, .. } = name.definition();
        let body = Body {
            events: [EventBody {
                event_id: of.id.uuid(),
                resource_url: of.urls.resource(collection, resource),
                resource_id: resource,
                // The only timestamp written without `Z`.
                event_date_utc: instant_text(of.at).trim_end_matches('Z').to_owned(),
                event_type,
                event_category: category,
                account: of.account.uuid(),
                escalation,
                resolution,
            }],
        };
        Self {
            id: of.id,
            account: of.account,
            name,
            resource,
            // An object with string values always has a JSON form.
            body: serde_json::to_string(&body).unwrap_or_default(),
            happened_at: of.at,
        }
    }
}

#[cfg(test)]
mod tests;
