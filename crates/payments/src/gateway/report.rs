//! A charge as the gateway reports it.

use kernel::{AccountId, Money};
use strum::{EnumString, IntoStaticStr, VariantNames};
use time::OffsetDateTime;

use super::ids::{ChargeId, IntentId, RefundKey};
use super::kind::MethodKind;
use super::refund::RefundState;

/// The state of a charge.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr, VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum ChargeState {
    /// A debit that the bank has not carried out yet.
    Pending,
    /// No money was captured, and none will be.
    Failed,
    /// The money was captured.
    Succeeded,
}

/// A charge as the gateway reports it when it is fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChargeReport {
    /// The gateway's id of the charge.
    pub id: ChargeId,
    /// The intent in the charge's metadata. `None` for a charge that this service did not cause.
    pub intent: Option<IntentId>,
    /// The account in the charge's metadata: that for which the checkout was opened.
    pub account: Option<AccountId>,
    /// Whether the money was captured, at the time of the report.
    pub state: ChargeState,
    /// The captured amount; for a pending or failed charge, the amount to capture.
    pub amount: Money,
    /// How the payer paid.
    pub method: MethodKind,
    /// When it was captured, UTC; for a pending or failed charge, when it was made.
    pub captured_at: OffsetDateTime,
    /// Its refunds and disputes, including those in progress.
    pub reversals: Vec<ReversalReport>,
}

/// Why money of a charge was returned to the payer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum ReversalKind {
    /// A refund.
    Refund,
    /// The payer's bank took the money back: a dispute, a chargeback or a returned debit.
    Dispute,
}

/// A refund or dispute of a charge, as the gateway reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReversalReport {
    /// The gateway's id of the refund or dispute.
    pub id: String,
    /// Whether it is a refund or a dispute.
    pub kind: ReversalKind,
    /// The key of this service's refund from the metadata (`refund_id`); `None` for a refund made elsewhere.
    pub refund: Option<RefundKey>,
    /// The amount.
    pub amount: Money,
    /// Its state. A dispute that the owner won has failed.
    pub state: RefundState,
}

/// One page of changed charges.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangedCharges {
    /// The charges, each in its present state.
    pub charges: Vec<ChargeReport>,
    /// The `page` argument for the next page; `None` on the last page.
    pub next_page: Option<String>,
}
