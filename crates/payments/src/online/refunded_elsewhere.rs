//! A refund that the owner made at the gateway itself, and the requested refunds that it stands for.

use kernel::Money;

use super::charge::Charge;
use super::reversal::{Reversal, ReversalReason};
use crate::gateway::RefundState;

/// What the owner refunded at the gateway counts as the refunds that were requested here and not made, oldest
/// first, so that they are not made a second time: an owner whose refund failed may make it by hand. `made`
/// is the new reversal; what is still to be returned of the charge is taken from it before. Returns the
/// reversals to store: those that changed, and the rest of `made`, if any.
pub(crate) fn distribute(charge: &Charge, known: &[Reversal], made: Reversal) -> Vec<Reversal> {
    let returned = charge.figures(known).to_return.minor();
    let mut left = made.amount.minor().saturating_sub(returned).max(0);
    let mut fulfilled = 0_i64;
    let mut changed = Vec::new();
    let is_waiting = |one: &&Reversal| {
        one.reason == ReversalReason::Refund
            && one.state != RefundState::Succeeded
            && one.gateway_id.is_none()
    };
    let mut waiting: Vec<_> = known.iter().filter(is_waiting).collect();
    waiting.sort_by_key(|one| (one.created_at, one.id));
    for one in waiting {
        let amount = one.amount.minor();
        if left < amount {
            if left > 0 {
                let rest = Money::new(amount.saturating_sub(left), one.amount.currency());
                changed.push(Reversal { amount: rest, ..one.clone() });
            }
            break;
        }
        left = left.saturating_sub(amount);
        fulfilled = fulfilled.saturating_add(amount);
        changed.push(Reversal { state: RefundState::Succeeded, ..one.clone() });
    }
    let rest = Money::new(made.amount.minor().saturating_sub(fulfilled), made.amount.currency());
    if !rest.is_zero() {
        changed.push(Reversal { amount: rest, ..made });
    } else if let Some(first) = changed.first_mut() {
        // The gateway's id is unique among the reversals of a charge.
        first.gateway_id = made.gateway_id;
    }
    changed
}

#[cfg(test)]
mod tests {
    use kernel::{Currency, Id};
    use proptest::prelude::*;
    use testkit::{CountingIds, FixedClock};

    use super::*;
    use crate::gateway::{ChargeId, ChargeState, MethodKind};

    fn aud(minor: i64) -> Money {
        Money::new(minor, Currency::parse("AUD").unwrap())
    }

    fn charge(ids: &CountingIds, captured: i64, applied: i64) -> Charge {
        let now = FixedClock::START;
        Charge {
            id: Id::new(ids, now),
            account: Id::new(ids, now),
            gateway_account: Id::new(ids, now),
            gateway_id: ChargeId("ch_1".to_owned()),
            intent: Id::new(ids, now),
            invoice: Id::new(ids, now),
            state: ChargeState::Succeeded,
            amount: aud(captured),
            method: MethodKind::Card,
            captured_at: now,
            applied: aud(applied),
            payment: None,
            keeps_unapplied: false,
        }
    }

    fn reversal(ids: &CountingIds, charge: &Charge, reason: ReversalReason, minor: i64) -> Reversal {
        let id = Id::new(ids, FixedClock::START);
        let (state, gateway_id) = match reason {
            ReversalReason::Elsewhere => (RefundState::Succeeded, Some("re_1".to_owned())),
            _ => (RefundState::Failed, None),
        };
        Reversal {
            id,
            account: charge.account,
            charge: charge.id,
            reason,
            amount: aud(minor),
            state,
            gateway_refund_key: id,
            gateway_id,
            created_at: FixedClock::START,
        }
    }

    /// The changed reversals: reason, state, amount, and whether the gateway's id is theirs.
    fn distributed(
        captured: i64,
        applied: i64,
        requested: &[i64],
        made: i64,
    ) -> Vec<(&'static str, &'static str, i64, bool)> {
        let ids = CountingIds::default();
        let charge = charge(&ids, captured, applied);
        let known: Vec<_> =
            requested.iter().map(|minor| reversal(&ids, &charge, ReversalReason::Refund, *minor)).collect();
        let made = reversal(&ids, &charge, ReversalReason::Elsewhere, made);
        let changed = distribute(&charge, &known, made);
        let shown = changed.iter().map(|one| {
            (one.reason.as_str(), one.state.as_str(), one.amount.minor(), one.gateway_id.is_some())
        });
        shown.collect()
    }

    #[test]
    fn refund_by_hand_is_the_requested_one_or_a_part_of_it_or_more() {
        assert_eq!(distributed(100, 100, &[40], 40), [("refund", "succeeded", 40, true)]);
        assert_eq!(
            distributed(100, 100, &[40], 15),
            [("refund", "failed", 25, false), ("elsewhere", "succeeded", 15, true)]
        );
        assert_eq!(
            distributed(100, 100, &[40], 50),
            [("refund", "succeeded", 40, false), ("elsewhere", "succeeded", 10, true)]
        );
        assert_eq!(
            distributed(100, 100, &[40, 10], 50),
            [("refund", "succeeded", 40, true), ("refund", "succeeded", 10, false)]
        );
    }

    #[test]
    fn what_is_still_to_be_returned_comes_first() {
        assert_eq!(distributed(100, 80, &[40], 20), [("elsewhere", "succeeded", 20, true)]);
        assert_eq!(
            distributed(100, 80, &[40], 30),
            [("refund", "failed", 30, false), ("elsewhere", "succeeded", 30, true)]
        );
    }

    proptest! {
        /// What was refunded and what is still requested are together what was requested, and what was
        /// refunded beyond it.
        #[test]
        fn nothing_is_refunded_twice(
            applied in 1..1_000_i64,
            requested in prop::collection::vec(1..300_i64, 0..4),
            made in 1..1_000_i64,
        ) {
            let changed = distributed(applied, applied, &requested, made);
            let sum = |state: &str| changed.iter().filter(|one| one.1 == state).map(|one| one.2).sum::<i64>();
            prop_assert_eq!(sum("succeeded"), made);
            let untouched: i64 = {
                let refunds = changed.iter().filter(|one| one.0 == "refund").count();
                requested.iter().skip(refunds).sum()
            };
            let wanted: i64 = requested.iter().sum();
            prop_assert_eq!(sum("failed") + untouched, (wanted - made).max(0));
        }
    }
}
