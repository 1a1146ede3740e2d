//! A gateway's event: its subject only, without its other content.

use super::ids::{ChargeId, CheckoutId};

/// An event with a valid signature. Its subject is fetched; the rest of its content is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayEvent {
    /// The gateway's id of the event, at most 255 characters, unique within the gateway account.
    pub id: String,
    /// The subject.
    pub subject: EventSubject,
}

/// The subject of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventSubject {
    /// A checkout.
    Checkout(CheckoutId),
    /// A charge, or a refund or dispute of a charge.
    Charge(ChargeId),
    /// A subject that this service does not process.
    Other,
}

/// Why an event is refused. The response to all of them is 400.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EventRefused {
    /// The event is not signed with the account's secret, its signature is too old, or the signature does not
    /// match the body.
    #[error("the signature does not fit the body")]
    WrongSignature,
    /// The signature is valid, but the body is not an event.
    #[error("the body is not an event")]
    NotAnEvent,
}
