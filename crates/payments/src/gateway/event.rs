//! A gateway's event: what it is about, and nothing of what it says.

use super::ids::{ChargeId, CheckoutId};

/// An event whose signature fits. What it is about is fetched; what it says besides is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayEvent {
    /// The gateway's id of it, at most 255 characters: unique within the gateway account.
    pub id: String,
    /// What it is about.
    pub subject: EventSubject,
}

/// What an event is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventSubject {
    /// A checkout.
    Checkout(CheckoutId),
    /// A charge, a refund or a dispute of it.
    Charge(ChargeId),
    /// Something that this service has no use for.
    Other,
}

/// Why an event is refused, all of them with 400.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EventRefused {
    /// It is not signed with the account's secret, or too long ago, or the body is another one.
    #[error("the signature does not fit the body")]
    WrongSignature,
    /// It is signed, and no event.
    #[error("the body is not an event")]
    NotAnEvent,
}
