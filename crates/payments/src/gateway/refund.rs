//! Refunds at a gateway.

use kernel::Money;
use strum::{EnumString, IntoStaticStr, VariantNames};

use super::ids::{ChargeId, RefundKey};

/// A refund to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRefund {
    /// The refund's key. Repeated calls with the same key make one refund.
    pub key: RefundKey,
    /// The charge to refund from.
    pub charge: ChargeId,
    /// The amount to refund.
    pub amount: Money,
}

/// The state of a refund.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum RefundState {
    /// The refund is in progress.
    Pending,
    /// The money was returned.
    Succeeded,
    /// The refund failed.
    Failed,
}

/// A refund as the gateway returns it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefundReport {
    /// The gateway's id of the refund.
    pub id: String,
    /// Whether the gateway has paid it out.
    pub state: RefundState,
}
