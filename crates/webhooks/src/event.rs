//! Events: what happened, and the bytes that tell receivers of it.

use kernel::{AccountId, Entity, Id, PublicUrls, instant_text};
use serde::Serialize;
use time::OffsetDateTime;
use uuid::Uuid;

/// Names the event.
#[derive(Debug, Clone, Copy)]
pub enum EventEntity {}
impl Entity for EventEntity {
    const NAME: &'static str = "event";
}

/// The id of an event; every delivery of it, in every attempt, carries it (contract, "Delivery": the deduplication key).
pub type EventId = Id<EventEntity>;

/// The events that there are. No other is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EventName {
    /// A payment was recorded on an invoice.
    PaymentRecorded,
    /// An escalation was raised.
    EscalationCreated,
    /// An escalation was closed.
    EscalationResolved,
}

impl EventName {
    /// Every event, in the contract's order.
    pub const ALL: [Self; 3] = [
        Self::PaymentRecorded,
        Self::EscalationCreated,
        Self::EscalationResolved,
    ];

    /// The event's name, as endpoints subscribe to it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PaymentRecorded => "invoice.payment_recorded",
            Self::EscalationCreated => "escalation.created",
            Self::EscalationResolved => "escalation.resolved",
        }
    }

    /// Reads a name, compared exactly.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|name| name.as_str() == text)
    }

    const fn type_and_category(self) -> (&'static str, &'static str) {
        match self {
            Self::PaymentRecorded => ("Payment", "INVOICE"),
            Self::EscalationCreated => ("Created", "ESCALATION"),
            Self::EscalationResolved => ("Resolved", "ESCALATION"),
        }
    }
}

/// Something that happened, with the body that every delivery of it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its id.
    pub id: EventId,
    /// The account that it belongs to.
    pub account: AccountId,
    /// What happened.
    pub name: EventName,
    /// The invoice or escalation that it happened to.
    pub resource: Uuid,
    /// The body of its deliveries, JSON, byte for byte (contract, "Delivery").
    pub body: String,
    /// When it happened, UTC.
    pub happened_at: OffsetDateTime,
}

/// What all events have in common.
#[derive(Debug, Clone)]
pub struct Occurrence {
    /// The event's id.
    pub id: EventId,
    /// The account that it belongs to.
    pub account: AccountId,
    /// When it happened, UTC.
    pub at: OffsetDateTime,
    /// Makes the address of the resource.
    pub urls: PublicUrls,
}

/// What receivers are told of an escalation. The customer's words are not among it: they are read from the resource.
#[derive(Debug, Clone, Copy)]
pub struct EscalationFacts<'a> {
    /// The escalation's id; it is told as the resource's.
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
    events: [Told<'a>; 1],
}

/// An event as it is told. The order of the fields is the contract's.
#[derive(Serialize)]
struct Told<'a> {
    event_id: ToldId,
    resource_url: String,
    resource_id: ToldId,
    event_date_utc: String,
    event_type: &'static str,
    event_category: &'static str,
    account: ToldId,
    #[serde(flatten)]
    escalation: Option<ToldEscalation<'a>>,
    #[serde(flatten)]
    resolution: Option<ToldResolution<'a>>,
}

#[derive(Serialize)]
struct ToldEscalation<'a> {
    escalation_type: &'a str,
    priority: &'a str,
    trigger_channel: &'a str,
    invoice_id: Option<ToldId>,
    contact_id: Option<ToldId>,
}

#[derive(Serialize)]
struct ToldResolution<'a> {
    resolution_outcome: Option<&'a str>,
    resolved_at: String,
}

/// An id in its hyphenated form.
struct ToldId(Uuid);

impl Serialize for ToldId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'a> From<&EscalationFacts<'a>> for ToldEscalation<'a> {
    fn from(facts: &EscalationFacts<'a>) -> Self {
        Self {
            escalation_type: facts.escalation_type,
            priority: facts.priority,
            trigger_channel: facts.trigger_channel,
            invoice_id: facts.invoice_id.map(ToldId),
            contact_id: facts.contact_id.map(ToldId),
        }
    }
}

impl Event {
    /// A payment was recorded on an invoice. No amount is told: the receiver fetches the invoice.
    #[must_use]
    pub fn payment_recorded(of: Occurrence, invoice: Uuid) -> Self {
        Self::of(of, EventName::PaymentRecorded, invoice, None, None)
    }

    /// An escalation was raised.
    #[must_use]
    pub fn escalation_created(of: Occurrence, facts: &EscalationFacts<'_>) -> Self {
        let name = EventName::EscalationCreated;
        Self::of(of, name, facts.id, Some(facts), None)
    }

    /// An escalation was closed, with this outcome, at this instant.
    #[must_use]
    pub fn escalation_resolved(
        of: Occurrence,
        facts: &EscalationFacts<'_>,
        outcome: Option<&str>,
        resolved_at: OffsetDateTime,
    ) -> Self {
        let resolution = ToldResolution {
            resolution_outcome: outcome,
            resolved_at: instant_text(resolved_at),
        };
        let name = EventName::EscalationResolved;
        Self::of(of, name, facts.id, Some(facts), Some(resolution))
    }

    fn of(
        of: Occurrence,
        name: EventName,
        resource: Uuid,
        escalation: Option<&EscalationFacts<'_>>,
        resolution: Option<ToldResolution<'_>>,
    ) -> Self {
        let (event_type, event_category) = name.type_and_category();
        let collection = match name {
            EventName::PaymentRecorded => "invoices",
            EventName::EscalationCreated | EventName::EscalationResolved => "escalations",
        };
        let body = Body {
            events: [Told {
                event_id: ToldId(of.id.uuid()),
                resource_url: of.urls.resource(collection, resource),
                resource_id: ToldId(resource),
                // The one timestamp that is written without a `Z`.
                event_date_utc: instant_text(of.at).trim_end_matches('Z').to_owned(),
                event_type,
                event_category,
                account: ToldId(of.account.uuid()),
                escalation: escalation.map(ToldEscalation::from),
                resolution,
            }],
        };
        Self {
            id: of.id,
            account: of.account,
            name,
            resource,
            // Strings under fixed names always make JSON.
            body: serde_json::to_string(&body).unwrap_or_default(),
            happened_at: of.at,
        }
    }
}

#[cfg(test)]
mod tests;
