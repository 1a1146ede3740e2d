//! A charge as the gateway reports it.

use kernel::Money;
use kernel::names::{self, UnknownName};
use strum::{EnumString, IntoStaticStr, VariantNames};
use time::OffsetDateTime;

use super::ids::{ChargeId, IntentId, RefundId};
use super::kind::MethodKind;
use super::refund::RefundState;

/// Where a charge stands.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr, VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum ChargeState {
    /// A debit that the bank has not carried out yet.
    Pending,
    /// No money came, and none will.
    Failed,
    /// The money was captured.
    Succeeded,
}

impl ChargeState {
    /// The name in the store.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Reads a name.
    ///
    /// # Errors
    /// [`UnknownName`], which lists the names.
    pub fn parse(text: &str) -> Result<Self, UnknownName> {
        names::parse(text)
    }
}

/// A charge as the gateway reports it when it is fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChargeReport {
    /// The gateway's id of it.
    pub id: ChargeId,
    /// The intent that its metadata names. `None` for a charge that this service has not caused.
    pub intent: Option<IntentId>,
    /// Where it stands.
    pub state: ChargeState,
    /// What was captured; of a pending or failed charge, what was to be.
    pub amount: Money,
    /// How the payer paid.
    pub method: MethodKind,
    /// When it was captured, UTC; of a pending or failed charge, when it was made.
    pub captured_at: OffsetDateTime,
    /// What went back to the payer, or is on its way.
    pub reversals: Vec<ReversalReport>,
}

/// Why money of a charge went back to the payer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum ReversalKind {
    /// A refund.
    Refund,
    /// The payer's bank took it back: a dispute, a chargeback, a debit that was returned.
    Dispute,
}

impl ReversalKind {
    /// The name in the store.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Reads a name.
    ///
    /// # Errors
    /// [`UnknownName`], which lists the names.
    pub fn parse(text: &str) -> Result<Self, UnknownName> {
        names::parse(text)
    }
}

/// Money of a charge that went back, as the gateway reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReversalReport {
    /// The gateway's id of the refund or dispute.
    pub id: String,
    /// Why it went back.
    pub kind: ReversalKind,
    /// The refund of this service that its metadata (`refund_id`) names; `None` for one that was made
    /// elsewhere.
    pub refund: Option<RefundId>,
    /// How much.
    pub amount: Money,
    /// Whether it has gone. A dispute that the owner won has failed.
    pub state: RefundState,
}

/// One page of the charges that changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangedCharges {
    /// The charges, each as it stands now.
    pub charges: Vec<ChargeReport>,
    /// What the next page is asked with; `None` on the last one.
    pub next_page: Option<String>,
}
