//! The ids of checkouts, charges and refunds at a gateway.

use kernel::Id;

/// Marks ids of payment intents.
pub enum IntentEntity {}

/// The id of a payment intent: one amount of one invoice that a payer began to pay. It is passed to the
/// gateway as the idempotency key of the checkout, and as metadata (`intent_id`) of the checkout and of every
/// charge.
pub type IntentId = Id<IntentEntity>;

/// The gateway's id of a checkout.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CheckoutId(pub String);

/// The gateway's id of a charge, at most 255 characters: the reference of the recorded payment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChargeId(pub String);

/// Marks keys of refunds.
pub enum RefundKeyEntity {}

/// The key under which this service requests a refund: the refund's idempotency key at the gateway, and its
/// metadata (`refund_id`). A refund that failed is requested again under another key.
pub type RefundKey = Id<RefundKeyEntity>;
