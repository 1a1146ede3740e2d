//! Events: verifying that Stripe sent them, and finding their subject.

use payments::{
    ChargeId, CheckoutId, EventRefused, EventSubject, GatewayAccess, GatewayEvent, TimedSignature,
};
use serde_json::Value;
use time::OffsetDateTime;

use crate::api::is_id;
use crate::objects::{StripeEvent, id_in};

/// The events that the webhook endpoint at Stripe is to send: about checkouts, charges, refunds and disputes.
pub(crate) const EVENT_TYPES: &[&str] = &[
    "checkout.session.completed",
    "checkout.session.expired",
    "checkout.session.async_payment_succeeded",
    "checkout.session.async_payment_failed",
    "charge.pending",
    "charge.succeeded",
    "charge.failed",
    "charge.refunded",
    "charge.refund.updated",
    "charge.dispute.created",
    "charge.dispute.updated",
    "charge.dispute.closed",
    "charge.dispute.funds_withdrawn",
    "charge.dispute.funds_reinstated",
    "refund.created",
    "refund.updated",
    "refund.failed",
];

/// Verifies the signature, then parses the event.
pub(crate) fn verified(
    access: &GatewayAccess,
    signature: &str,
    body: &[u8],
    now: OffsetDateTime,
) -> Result<GatewayEvent, EventRefused> {
    TimedSignature::verify(signature, body, &access.webhook_secrets, now)?;
    let event: StripeEvent = serde_json::from_slice(body).map_err(|_malformed| EventRefused::NotAnEvent)?;
    if !is_id(&event.id) {
        return Err(EventRefused::NotAnEvent);
    }
    Ok(GatewayEvent { subject: subject(&event.data.object), id: event.id })
}

/// The subject of the object in an event. Only the object's type decides, so event types that Stripe adds
/// later are understood too.
pub(crate) fn subject(object: &Value) -> EventSubject {
    let id = |field| id_in(object.get(field)).filter(|id| is_id(id)).map(str::to_owned);
    let charge = |field| id(field).map(|id| EventSubject::Charge(ChargeId(id)));
    let found = match object.get("object").and_then(Value::as_str) {
        Some("checkout.session") => id("id").map(|id| EventSubject::Checkout(CheckoutId(id))),
        Some("charge") => charge("id"),
        Some("refund" | "dispute") => charge("charge"),
        Some("payment_intent") => charge("latest_charge"),
        _ => None,
    };
    found.unwrap_or(EventSubject::Other)
}
