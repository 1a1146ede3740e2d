//! The stored form of a checkout, and the body of an event.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A checkout with its charges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredCheckout {
    pub(crate) id: String,
    pub(crate) account: Uuid,
    pub(crate) gateway_account: Uuid,
    pub(crate) intent: Uuid,
    pub(crate) amount: i64,
    pub(crate) currency: String,
    pub(crate) description: String,
    pub(crate) company_name: String,
    pub(crate) return_url: String,
    /// In microseconds since 1970.
    pub(crate) expires_at: i64,
    pub(crate) is_expired: bool,
    pub(crate) charges: Vec<StoredCharge>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredCharge {
    pub(crate) id: String,
    pub(crate) is_declined: bool,
    /// The time of capture in microseconds since 1970; that of a debit may be in the future.
    pub(crate) captured_at: i64,
    /// Whether it is a debit.
    pub(crate) is_debit: bool,
    pub(crate) refunds: Vec<StoredRefund>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredRefund {
    pub(crate) id: Uuid,
    pub(crate) amount: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SandboxEvent {
    pub(crate) id: String,
    /// `checkout` or `charge`.
    pub(crate) about: String,
    pub(crate) subject: String,
}
