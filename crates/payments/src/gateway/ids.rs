//! The ids of what a gateway is asked for.

use kernel::{Entity, Id};

/// Names the payment intent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IntentEntity {}
impl Entity for IntentEntity {
    const NAME: &'static str = "payment_intent";
}

/// The id of a payment intent: one amount of one invoice that a payer set out to pay. The gateway gets it as
/// the idempotency key of the checkout, and as metadata (`intent_id`) of the checkout and of every charge.
pub type IntentId = Id<IntentEntity>;

/// The gateway's id of a checkout.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CheckoutId(pub String);

/// The gateway's id of a charge: at most 255 characters, the reference of the payment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChargeId(pub String);

/// Names the refund.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RefundEntity {}
impl Entity for RefundEntity {
    const NAME: &'static str = "refund";
}

/// The id of a refund that this service makes: its idempotency key at the gateway, and its metadata
/// (`refund_id`).
pub type RefundId = Id<RefundEntity>;
