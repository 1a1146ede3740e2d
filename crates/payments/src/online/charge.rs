//! A stored charge: what was captured, and how it was used.

use std::collections::BTreeSet;

use invoices::{InvoiceId, PaymentId};
use kernel::{AccountId, Money};
use time::OffsetDateTime;

use super::charge_id::ChargeRowId;
use super::reversal::{Reversal, ReversalId, ReversalReason};
use crate::gateway::{
    ChargeId, ChargeReport, ChargeState, GatewayAccountId, IntentId, MethodKind, RefundState,
};

/// A charge. The gateway's id is unique within the gateway account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charge {
    /// The id of its row.
    pub id: ChargeRowId,
    /// The account that is paid.
    pub account: AccountId,
    /// The gateway account that it was paid through.
    pub gateway_account: GatewayAccountId,
    /// The gateway's id of the charge.
    pub gateway_id: ChargeId,
    /// The intent that it came from.
    pub intent: IntentId,
    /// The invoice that it is for.
    pub invoice: InvoiceId,
    /// Whether the money was captured, as last reported by the gateway.
    pub state: ChargeState,
    /// The captured amount; for a pending or failed charge, the amount to capture.
    pub amount: Money,
    /// How it was paid.
    pub method: MethodKind,
    /// When it was captured, UTC; for a pending or failed charge, when it was made.
    pub captured_at: OffsetDateTime,
    /// The part that was applied to the invoice.
    pub applied: Money,
    /// The payment that was recorded for the applied part, if any.
    pub payment: Option<PaymentId>,
    /// Whether the account keeps the unapplied part.
    pub keeps_unapplied: bool,
}

/// How a charge was used, in its currency. `applied + unapplied = captured` and `unapplied = returned + kept
/// + to_return`; `reversed` is at most `applied`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figures {
    /// The captured amount.
    pub captured: Money,
    /// The part that was recorded as a payment.
    pub applied: Money,
    /// The part that could not be applied.
    pub unapplied: Money,
    /// The part of `unapplied` that was returned.
    pub returned: Money,
    /// The part of `unapplied` that the account keeps.
    pub kept: Money,
    /// The part of `unapplied` still to return.
    pub to_return: Money,
    /// The part of `applied` that refunds and disputes returned to the payer.
    pub reversed: Money,
}

impl Charge {
    /// A charge that is seen for the first time, with nothing applied.
    #[must_use]
    pub fn first_seen(
        id: ChargeRowId,
        account: AccountId,
        (gateway_account, intent, invoice): (GatewayAccountId, IntentId, InvoiceId),
        report: &ChargeReport,
    ) -> Self {
        Self {
            id,
            account,
            gateway_account,
            gateway_id: report.id.clone(),
            intent,
            invoice,
            // `observe` sets the state of a captured charge.
            state: ChargeState::Pending,
            amount: report.amount,
            method: report.method,
            captured_at: report.captured_at,
            applied: Money::zero(report.amount.currency()),
            payment: None,
            keeps_unapplied: false,
        }
    }

    /// Takes over the state that the gateway reports. `true` when the money is newly captured: only then is
    /// it applied. A charge moves from pending to failed to succeeded and never back, so that the order of
    /// reports does not matter.
    pub fn observe(&mut self, report: &ChargeReport) -> bool {
        if report.state <= self.state {
            return false;
        }
        self.state = report.state;
        self.amount = report.amount;
        self.method = report.method;
        self.captured_at = report.captured_at;
        self.state == ChargeState::Succeeded
    }

    /// A new reversal of this charge, to be requested from the gateway.
    #[must_use]
    pub const fn reversal(
        &self,
        id: ReversalId,
        reason: ReversalReason,
        amount: Money,
        now: OffsetDateTime,
    ) -> Reversal {
        Reversal {
            id,
            account: self.account,
            charge: self.id,
            reason,
            amount,
            state: RefundState::Pending,
            gateway_refund_key: Reversal::first_key(id),
            gateway_id: None,
            created_at: now,
            succeeded_at: None,
        }
    }

    /// The captured amount.
    #[must_use]
    pub fn captured(&self) -> Money {
        match self.state {
            ChargeState::Succeeded => self.amount,
            ChargeState::Pending | ChargeState::Failed => Money::zero(self.amount.currency()),
        }
    }

    /// How the charge was used. `reversals` are those of this charge. Refunds made elsewhere count against
    /// the unapplied part first.
    #[must_use]
    pub fn figures(&self, reversals: &[Reversal]) -> Figures {
        let currency = self.amount.currency();
        let money = |minor: i64| Money::new(minor, currency);
        let sum = |reasons: &[ReversalReason]| -> i64 {
            let gone = reversals.iter().filter(|one| one.state == RefundState::Succeeded);
            let of = gone.filter(|one| one.charge == self.id && reasons.contains(&one.reason));
            of.fold(0, |sum, one| sum.saturating_add(one.amount.minor()))
        };
        let (captured, applied) = (self.captured().minor(), self.applied.minor());
        let unapplied = captured.saturating_sub(applied);
        let elsewhere = sum(&[ReversalReason::Elsewhere, ReversalReason::Dispute]);
        let returns = sum(&[ReversalReason::Return]);
        let returned = unapplied.min(returns.saturating_add(elsewhere));
        let beyond = returns.saturating_add(elsewhere).saturating_sub(returned);
        let reversed = applied.min(beyond.saturating_add(sum(&[ReversalReason::Refund])));
        let left = unapplied.saturating_sub(returned);
        let (kept, to_return) = if self.keeps_unapplied { (left, 0) } else { (0, left) };
        Figures {
            captured: money(captured),
            applied: money(applied),
            unapplied: money(unapplied),
            returned: money(returned),
            kept: money(kept),
            to_return: money(to_return),
            reversed: money(reversed),
        }
    }

    /// What is left to return by one of several returns that wait: less those that the gateway has accepted,
    /// and those that were requested later.
    #[must_use]
    pub fn left_for(&self, waiting: &Reversal, reversals: &[Reversal]) -> Money {
        let is_beside = |one: &&Reversal| {
            let is_later = (one.created_at, one.id) > (waiting.created_at, waiting.id);
            one.charge == self.id
                && one.id != waiting.id
                && one.reason == ReversalReason::Return
                && one.state != RefundState::Succeeded
                && (is_later || one.is_on_its_way())
        };
        let beside = reversals.iter().filter(is_beside);
        let beside = beside.fold(0_i64, |sum, one| sum.saturating_add(one.amount.minor()));
        let left = self.figures(reversals).to_return.minor().saturating_sub(beside);
        Money::new(left.max(0), self.amount.currency())
    }

    /// Whether this service asked for no more than there was: for returns of at most the unapplied part, and
    /// refunds of at most the applied one, without those that are not made because too little is left.
    /// [`Charge::figures`] cuts them to that. What gateways and banks
    /// took back besides may be more than was captured.
    #[must_use]
    pub fn covers_own(&self, reversals: &[Reversal]) -> bool {
        let covered = self.covered_refunds(reversals).0;
        let counts = |one: &Reversal| {
            let is_waiting = one.reason == ReversalReason::Refund && one.state != RefundState::Succeeded;
            one.charge == self.id && (!is_waiting || covered.contains(&one.id))
        };
        let sum = |reason: ReversalReason| {
            let own = reversals.iter().filter(|one| counts(one) && one.reason == reason);
            own.fold(0_i64, |sum, one| sum.saturating_add(one.amount.minor()))
        };
        let applied = self.applied.minor();
        let unapplied = self.captured().minor().saturating_sub(applied);
        sum(ReversalReason::Return) <= unapplied && sum(ReversalReason::Refund) <= applied
    }

    /// Whether enough of `applied` is left for a requested refund: neither returned to the payer nor on its
    /// way. A refund that the gateway has accepted is on its way itself.
    #[must_use]
    pub fn covers_refund(&self, refund: &Reversal, reversals: &[Reversal]) -> bool {
        refund.is_on_its_way() || self.covered_refunds(reversals).0.contains(&refund.id)
    }

    /// The waiting refunds that were not covered by the reversals `before`, and are by those of now.
    #[must_use]
    pub fn newly_covered(&self, before: &[Reversal], now: &[Reversal]) -> BTreeSet<ReversalId> {
        let (were, are) = (self.covered_refunds(before).0, self.covered_refunds(now).0);
        are.into_iter().filter(|id| !were.contains(id)).collect()
    }

    /// The part of `applied` that can still be refunded: neither refunded nor covered by a request. What is
    /// requested and not covered is not made, so it takes nothing.
    #[must_use]
    pub fn refundable(&self, reversals: &[Reversal]) -> Money {
        Money::new(self.covered_refunds(reversals).1.max(0), self.amount.currency())
    }

    /// The waiting refunds for which enough is left, earlier requests first, and the minor units that are
    /// left besides.
    fn covered_refunds(&self, reversals: &[Reversal]) -> (Vec<ReversalId>, i64) {
        let figures = self.figures(reversals);
        let mut left = figures.applied.minor().saturating_sub(figures.reversed.minor());
        let mut waiting: Vec<_> = reversals
            .iter()
            .filter(|one| {
                one.charge == self.id
                    && one.state != RefundState::Succeeded
                    && one.reason == ReversalReason::Refund
            })
            .collect();
        waiting.sort_by_key(|one| (!one.is_on_its_way(), one.created_at, one.id));
        let mut covered = Vec::new();
        for one in waiting {
            if one.is_on_its_way() || one.amount.minor() <= left {
                left = left.saturating_sub(one.amount.minor());
                covered.push(one.id);
            }
        }
        (covered, left)
    }
}

impl Figures {
    /// Whether every part of the money is accounted for.
    #[must_use]
    pub fn are_conserved(&self) -> bool {
        let parts = [self.returned, self.kept, self.to_return];
        let all = [self.captured, self.applied, self.unapplied, self.reversed];
        let none_negative = parts.iter().chain(&all).all(|part| !part.is_negative());
        let rest = parts.iter().fold(0_i64, |sum, part| sum.saturating_add(part.minor()));
        none_negative
            && self.applied.minor().checked_add(self.unapplied.minor()) == Some(self.captured.minor())
            && rest == self.unapplied.minor()
            && self.reversed.minor() <= self.applied.minor()
    }
}

#[cfg(test)]
mod tests;
