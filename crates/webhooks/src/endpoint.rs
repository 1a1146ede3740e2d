//! Endpoints: where an account's events are delivered, and which.

use kernel::{AccountId, Entity, HttpsUrl, Id};
use time::OffsetDateTime;

use crate::event::EventName;

/// Names the endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EndpointEntity {}
impl Entity for EndpointEntity {
    const NAME: &'static str = "endpoint";
}

/// The id of an endpoint.
pub type EndpointId = Id<EndpointEntity>;

/// Where an account's events are delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Its id.
    pub id: EndpointId,
    /// The account that it belongs to.
    pub account: AccountId,
    /// Where deliveries go.
    pub url: HttpsUrl,
    /// The events that are delivered.
    pub events: Subscriptions,
    /// Whether anything is delivered.
    pub enabled: bool,
    /// Whether it came with the account through the partner API, whose `webhook_url` it is. An account has at
    /// most one such.
    pub provisioned: bool,
    /// When it was made, UTC.
    pub created_at: OffsetDateTime,
    /// When it was last changed, UTC.
    pub updated_at: OffsetDateTime,
}

impl Endpoint {
    /// The most enabled endpoints of an account (contract, "Limits").
    pub const MOST_ENABLED: usize = 5;
    /// The most endpoints of an account, disabled ones too, so that a list of them stays short.
    pub const MOST: usize = 50;
}

/// The events that are delivered to an endpoint: at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subscriptions(u8);

/// Why names are no subscriptions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubscriptionsFault {
    /// None is named.
    #[error("must name at least one event of: {}", known())]
    None,
    /// A name that no event has.
    #[error("`{0}` is no event; the events are: {known}", known = known())]
    Unknown(String),
}

impl Subscriptions {
    /// All events, which an endpoint is subscribed to that comes with an account.
    pub const ALL: Self = {
        let (mut bits, mut left) = (0, EventName::ALL.as_slice());
        while let [event, others @ ..] = left {
            bits |= event.bit();
            left = others;
        }
        Self(bits)
    };

    /// Reads names, each compared exactly; naming one twice is naming it once.
    ///
    /// # Errors
    /// A [`SubscriptionsFault`] for the first name that is unknown, or when there is none.
    ///
    /// ```
    /// use webhooks::{EventName, Subscriptions};
    ///
    /// let events = Subscriptions::parse(["escalation.created", "invoice.payment_recorded"]).unwrap();
    /// assert!(events.contain(EventName::EscalationCreated));
    /// assert!(!events.contain(EventName::EscalationResolved));
    /// assert!(Subscriptions::parse(["invoice.created"]).is_err());
    /// ```
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, SubscriptionsFault> {
        let mut bits = 0;
        for name in names {
            let name = name.trim();
            let event = EventName::parse(name)
                .ok_or_else(|| SubscriptionsFault::Unknown(name.chars().take(100).collect()))?;
            bits |= event.bit();
        }
        Self::from_bits(bits).ok_or(SubscriptionsFault::None)
    }

    /// Subscriptions from the store; `None` when the number means none. Events that only a later version of
    /// the service knows are kept: it may run beside this one on the same database.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Option<Self> {
        if bits == 0 { None } else { Some(Self(bits)) }
    }

    /// The subscriptions as a number for the store: the sum of their [`EventName::bit`]s.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Whether an event is among them.
    #[must_use]
    pub const fn contain(self, event: EventName) -> bool {
        self.0 & event.bit() != 0
    }

    /// The events that this version knows, in the contract's order.
    pub fn iter(self) -> impl Iterator<Item = EventName> {
        EventName::ALL.into_iter().filter(move |event| self.contain(*event))
    }
}

fn known() -> String {
    EventName::ALL.map(EventName::as_str).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subscriptions_are_known_events() {
        let names = |events: Subscriptions| events.iter().map(EventName::as_str).collect::<Vec<_>>();
        let all = Subscriptions::parse(EventName::ALL.map(EventName::as_str)).unwrap();
        assert_eq!(all, Subscriptions::ALL);
        let one = Subscriptions::parse(["escalation.resolved", " escalation.resolved "]).unwrap();
        assert_eq!(names(one), ["escalation.resolved"]);
        assert_eq!(Subscriptions::parse([]), Err(SubscriptionsFault::None));
        let fault = Subscriptions::parse(["escalation.created", "invoice.sent"]).unwrap_err();
        assert_eq!(fault.to_string(), format!("`invoice.sent` is no event; the events are: {}", known()));
        for bits in 0..=u8::MAX {
            let read = Subscriptions::from_bits(bits);
            assert_eq!(read.map(Subscriptions::bits), (bits != 0).then_some(bits));
        }
        let later = Subscriptions::from_bits(0b1000_0010).unwrap();
        assert_eq!(names(later), ["escalation.created"], "what a later version adds is passed over");
    }
}
