//! Converts Stripe's charges to the port's reports.

use kernel::{AccountId, Money};
use payments::gateway::ids::{IntentEntity, RefundKeyEntity};
use payments::{
    ChargeId, ChargeReport, ChargeState, GatewayError, MethodKind, RefundReport, RefundState, ReversalKind,
    ReversalReport,
};
use time::OffsetDateTime;

use crate::method::method;
use crate::objects::{Dispute, Refund, StripeCharge, unreadable};
use crate::units;

/// The metadata name of the intent's id in a session, a payment intent and a charge.
pub(crate) const INTENT_ID: &str = "intent_id";
/// The metadata name of the account's id in a payment intent and a charge.
pub(crate) const ACCOUNT_ID: &str = "account_id";
/// The metadata name of this service's refund id in a refund.
pub(crate) const REFUND_ID: &str = "refund_id";

/// Whether the charge belongs to an intent of an account of this service: several accounts may be connected
/// to one company. No checkout is opened in a currency that cannot be read.
pub(crate) fn is_of(account: AccountId, charge: &StripeCharge) -> bool {
    let named = charge.metadata_value(ACCOUNT_ID).and_then(kernel::Id::parse);
    intent(charge).is_some()
        && named.is_none_or(|named| named == account)
        && units::from_units(charge.amount, &charge.currency).is_some()
}

pub(crate) fn state(charge: &StripeCharge) -> Result<ChargeState, GatewayError> {
    match charge.status.as_str() {
        "succeeded" if charge.captured => Ok(ChargeState::Succeeded),
        // Authorised but not captured: this service never requests that, but the owner may.
        "succeeded" | "pending" => Ok(ChargeState::Pending),
        "failed" => Ok(ChargeState::Failed),
        _ => Err(unreadable("the status of the charge")),
    }
}

/// The payment method; a failed attempt may have no details.
pub(crate) fn paid_by(charge: &StripeCharge) -> MethodKind {
    charge.payment_method_details.as_ref().map_or(MethodKind::Card, |details| method(&details.r#type))
}

/// Reports a charge with its refunds and disputes.
pub(crate) fn report(
    charge: &StripeCharge,
    refunds: &[Refund],
    disputes: &[Dispute],
    captured_at: OffsetDateTime,
) -> Result<ChargeReport, GatewayError> {
    let state = state(charge)?;
    let captured = state == ChargeState::Succeeded;
    let units = if captured { charge.amount_captured } else { charge.amount };
    let amount = money(units, &charge.currency)?;
    let refunds = refunds.iter().map(refund_reversal);
    let disputes = disputes.iter().filter_map(|dispute| dispute_reversal(dispute, amount)).map(Ok);
    Ok(ChargeReport {
        id: ChargeId(charge.id.clone()),
        intent: intent(charge),
        account: charge.metadata_value(ACCOUNT_ID).and_then(kernel::Id::parse),
        state,
        amount,
        method: paid_by(charge),
        captured_at,
        reversals: refunds.chain(disputes).collect::<Result<_, _>>()?,
    })
}

/// A time of Stripe: seconds since 1970.
pub(crate) fn instant(seconds: i64) -> Result<OffsetDateTime, GatewayError> {
    OffsetDateTime::from_unix_timestamp(seconds).map_err(|_out_of_range| unreadable("a time"))
}

/// Reports a refund.
pub(crate) fn refund_report(refund: &Refund) -> RefundReport {
    RefundReport { id: refund.id.clone(), state: refund_state(refund) }
}

/// A new refund may have no status yet, and is pending while the payer or the owner must act.
fn refund_state(refund: &Refund) -> RefundState {
    match refund.status.as_deref() {
        Some("succeeded") => RefundState::Succeeded,
        Some("failed" | "canceled") => RefundState::Failed,
        _ => RefundState::Pending,
    }
}

fn refund_reversal(refund: &Refund) -> Result<ReversalReport, GatewayError> {
    let ours = refund.metadata.as_ref().and_then(|metadata| metadata.get(REFUND_ID));
    Ok(ReversalReport {
        id: refund.id.clone(),
        kind: ReversalKind::Refund,
        refund: ours.and_then(|id| kernel::Id::<RefundKeyEntity>::parse(id)),
        amount: money(refund.amount, &refund.currency)?,
        state: refund_state(refund),
    })
}

/// A dispute that takes money back: Stripe withdraws it when the dispute is opened, and puts it back when the
/// dispute is won. An inquiry (`warning_…`) or a prevented dispute does not.
fn dispute_reversal(dispute: &Dispute, charged: Money) -> Option<ReversalReport> {
    let state = match dispute.status.as_str() {
        "won" => RefundState::Failed,
        "prevented" => return None,
        status if status.starts_with("warning_") => return None,
        _ => RefundState::Succeeded,
    };
    let disputed = units::from_units(dispute.amount, &dispute.currency);
    // A bank may dispute in its own currency, at its own rate; then the whole charge counts as disputed.
    let part = disputed.filter(|one| one.currency() == charged.currency() && one.minor() < charged.minor());
    Some(ReversalReport {
        id: dispute.id.clone(),
        kind: ReversalKind::Dispute,
        refund: None,
        amount: part.unwrap_or(charged),
        state,
    })
}

fn intent(charge: &StripeCharge) -> Option<payments::IntentId> {
    kernel::Id::<IntentEntity>::parse(charge.metadata_value(INTENT_ID)?)
}

fn money(units: i64, currency: &str) -> Result<Money, GatewayError> {
    units::from_units(units, currency).ok_or_else(|| unreadable("an amount of money"))
}
