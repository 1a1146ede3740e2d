//! Endpoints: where an account's events are delivered, and which events.

use kernel::{AccountId, HttpsUrl, Id};
use time::OffsetDateTime;

use crate::event::EventName;

/// Marks ids of endpoints.
pub enum EndpointEntity {}

/// The id of an endpoint.
pub type EndpointId = Id<EndpointEntity>;

/// An address that an account's events are delivered to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The endpoint's id.
    pub id: EndpointId,
    /// The account that it belongs to.
    pub account: AccountId,
    /// The address to deliver to.
    pub url: HttpsUrl,
    /// The events that are delivered.
    pub events: Subscriptions,
    /// Whether deliveries are made.
    pub enabled: bool,
    /// Whether the partner API created it, as the account's `webhook_url`. An account has at most one such
    /// endpoint.
    pub provisioned: bool,
    /// When it was created, UTC.
    pub created_at: OffsetDateTime,
    /// When it was last changed, UTC.
    pub updated_at: OffsetDateTime,
}

impl Endpoint {
    /// The most enabled endpoints of an account (contract, "Limits").
    pub const MAX_ENABLED: usize = 5;
    /// The most endpoints of an account, including disabled ones, so that a list of them stays short.
    pub const MAX_PER_ACCOUNT: usize = 50;
}

/// The events that an endpoint is subscribed to: at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subscriptions(u8);

/// Why a list of names is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubscriptionsFault {
    /// The list is empty.
    #[error("must name at least one event of: {}", EventName::list())]
    None,
    /// No event has this name.
    #[error("`{0}` is no event; the events are: {known}", known = EventName::list())]
    Unknown(String),
}

impl Subscriptions {
    /// All events; the subscriptions of an endpoint that is created with its account.
    pub const ALL: Self = {
        let (mut bits, mut left) = (0, EventName::ALL);
        while let [event, others @ ..] = left {
            bits |= event.bit();
            left = others;
        }
        Self(bits)
    };

    /// Parses names, each compared exactly; repeated names count once.
    ///
    /// # Errors
    /// A [`SubscriptionsFault`] for the first unknown name, or when there are no names.
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

    /// Subscriptions from the store; `None` for 0, which is no subscription. Events of a later version of the
    /// service are kept: it may run beside this one on the same database.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Option<Self> {
        if bits == 0 { None } else { Some(Self(bits)) }
    }

    /// The subscriptions as a number to store: the sum of their [`EventName::bit`]s.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Whether this event is subscribed to.
    #[must_use]
    pub const fn contain(self, event: EventName) -> bool {
        self.0 & event.bit() != 0
    }

    /// The subscribed events that this version knows, in the contract's order.
    pub fn iter(self) -> impl Iterator<Item = EventName> {
        EventName::ALL.iter().copied().filter(move |event| self.contain(*event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subscriptions_are_known_events() {
        let names = |events: Subscriptions| events.iter().map(EventName::as_str).collect::<Vec<_>>();
        let all = Subscriptions::parse(EventName::list().split(',')).unwrap();
        assert_eq!(all, Subscriptions::ALL);
        let one = Subscriptions::parse(["escalation.resolved", " escalation.resolved "]).unwrap();
        assert_eq!(names(one), ["escalation.resolved"]);
        assert_eq!(Subscriptions::parse([]), Err(SubscriptionsFault::None));
        let fault = Subscriptions::parse(["escalation.created", "invoice.sent"]).unwrap_err();
        assert_eq!(
            fault.to_string(),
            format!("`invoice.sent` is no event; the events are: {}", EventName::list())
        );
        for bits in 0..=u8::MAX {
            let read = Subscriptions::from_bits(bits);
            assert_eq!(read.map(Subscriptions::bits), (bits != 0).then_some(bits));
        }
        let later = Subscriptions::from_bits(0b1000_0010).unwrap();
        assert_eq!(names(later), ["escalation.created"], "what a later version adds is passed over");
    }
}
