//! Money of a charge that goes back to the payer.

use kernel::names::{self, UnknownName};
use kernel::{AccountId, Money};
use strum::{EnumString, IntoStaticStr, VariantNames};
use time::OffsetDateTime;

use super::charge_id::ChargeRowId;
use crate::gateway::{RefundId, RefundState, ReversalKind, ReversalReport};

/// Why money of a charge goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum ReversalReason {
    /// It could not be applied.
    Return,
    /// The owner or the operator asked for it.
    Refund,
    /// It was refunded at the gateway, without this service.
    Elsewhere,
    /// The payer's bank took it back.
    Dispute,
}

impl ReversalReason {
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

    /// Whether this service asks the gateway for it.
    #[must_use]
    pub const fn is_ours(self) -> bool {
        matches!(self, Self::Return | Self::Refund)
    }
}

/// Money of a charge that goes back to the payer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reversal {
    /// Its id.
    pub id: RefundId,
    /// The account.
    pub account: AccountId,
    /// The charge.
    pub charge: ChargeRowId,
    /// Why.
    pub reason: ReversalReason,
    /// How much.
    pub amount: Money,
    /// Whether it has gone.
    pub state: RefundState,
    /// The id by which the gateway is asked for it: another one after it failed there.
    pub asked_as: RefundId,
    /// The gateway's id of it, once it has one.
    pub gateway_id: Option<String>,
    /// When it was asked for or first seen, UTC.
    pub created_at: OffsetDateTime,
}

impl Reversal {
    /// The reversal of a charge that a report speaks of, if it is known.
    #[must_use]
    pub fn reported<'a>(known: &'a [Self], report: &ReversalReport) -> Option<&'a Self> {
        let by_id = known.iter().find(|one| one.gateway_id.as_deref() == Some(&*report.id));
        by_id.or_else(|| known.iter().find(|one| report.refund == Some(one.asked_as)))
    }

    /// One that was made without this service.
    #[must_use]
    pub fn made_elsewhere(
        id: RefundId,
        account: AccountId,
        charge: ChargeRowId,
        report: &ReversalReport,
        now: OffsetDateTime,
    ) -> Self {
        let reason = match report.kind {
            ReversalKind::Refund => ReversalReason::Elsewhere,
            ReversalKind::Dispute => ReversalReason::Dispute,
        };
        Self {
            id,
            account,
            charge,
            reason,
            amount: report.amount,
            state: report.state,
            asked_as: id,
            gateway_id: Some(report.id.clone()),
            created_at: now,
        }
    }
}
