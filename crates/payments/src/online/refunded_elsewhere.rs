//! A refund that the owner made at the gateway itself, and the requested refunds that it stands for.

use kernel::Money;

use super::reversal::{Reversal, ReversalReason};
use crate::gateway::{RefundKey, RefundState};

/// What the owner refunded at the gateway counts as the returns and refunds that were requested here and not
/// made, in this order and oldest first, so that they are not made a second time: an owner whose refund
/// failed may make it by hand. `made` is the new reversal. Returns the reversals to store: those that
/// changed, and the rest of `made`, if any; the part of a request is a reversal for the same reason.
///
/// A changed reversal gets another key for the gateway: a request under the earlier one that is still in
/// progress is another refund, which the gateway reports. For a fulfilled one it is that of `made`: see
/// [`stood_for`].
pub(crate) fn distribute(known: &[Reversal], made: Reversal, new_key: RefundKey) -> Vec<Reversal> {
    let is_waiting = |one: &&Reversal| {
        one.reason.is_ours() && one.state != RefundState::Succeeded && one.gateway_id.is_none()
    };
    let mut waiting: Vec<_> = known.iter().filter(is_waiting).collect();
    waiting.sort_by_key(|one| (one.reason != ReversalReason::Return, one.created_at, one.id));
    let (mut left, mut rest_of) = (made.amount.minor(), ReversalReason::Elsewhere);
    let mut changed = Vec::new();
    for one in waiting {
        let amount = one.amount.minor();
        if left == 0 {
            break;
        }
        if left < amount {
            let rest = Money::new(amount.saturating_sub(left), one.amount.currency());
            changed.push(Reversal { amount: rest, gateway_refund_key: new_key, ..one.clone() });
            rest_of = one.reason;
            break;
        }
        left = left.saturating_sub(amount);
        let fulfilled = Reversal { gateway_refund_key: made.gateway_refund_key, ..one.clone() };
        changed.push(fulfilled.in_state(RefundState::Succeeded, made.at()));
    }
    if left > 0 {
        changed.push(Reversal { reason: rest_of, amount: Money::new(left, made.amount.currency()), ..made });
    } else if let Some(first) = changed.first_mut() {
        // The gateway's id is unique among the reversals of a charge.
        first.gateway_id = made.gateway_id;
    }
    changed
}

/// The requested reversals that a refund stood for which failed at the gateway: itself, if it was requested
/// here, and those that it fulfilled.
pub(crate) fn stood_for(known: &[Reversal], failed: &Reversal) -> Vec<Reversal> {
    let is_fulfilled = |one: &Reversal| one.state == RefundState::Succeeded && one.gateway_id.is_none();
    let is_it = |one: &&Reversal| {
        one.reason.is_ours()
            && one.gateway_refund_key == failed.gateway_refund_key
            && (one.id == failed.id || is_fulfilled(one))
    };
    known.iter().filter(is_it).cloned().collect()
}

#[cfg(test)]
mod tests {
    use kernel::{Id, Named as _};
    use proptest::prelude::*;
    use testkit::{CountingIds, FixedClock};

    use super::*;
    use crate::online::charge_id::ChargeRowId;
    use crate::online::samples::aud;

    fn reversal(ids: &CountingIds, charge: ChargeRowId, reason: ReversalReason, minor: i64) -> Reversal {
        let id = Id::new(ids, FixedClock::START);
        let (state, gateway_id) = match reason {
            ReversalReason::Elsewhere => (RefundState::Succeeded, Some("re_1".to_owned())),
            _ => (RefundState::Failed, None),
        };
        Reversal {
            id,
            account: Id::new(ids, FixedClock::START),
            charge,
            reason,
            amount: aud(minor),
            state,
            gateway_refund_key: Reversal::first_key(id),
            gateway_id,
            created_at: FixedClock::START,
            succeeded_at: None,
        }
    }

    /// The changed reversals: reason, state, amount, and whether the gateway's id is theirs.
    fn distributed(
        requested: &[(ReversalReason, i64)],
        made: i64,
    ) -> Vec<(&'static str, &'static str, i64, bool)> {
        let ids = CountingIds::default();
        let charge = Id::new(&ids, FixedClock::START);
        let known: Vec<_> =
            requested.iter().map(|(reason, minor)| reversal(&ids, charge, *reason, *minor)).collect();
        let made = reversal(&ids, charge, ReversalReason::Elsewhere, made);
        let changed = distribute(&known, made, Id::new(&ids, FixedClock::START));
        let shown = changed.iter().map(|one| {
            (one.reason.as_str(), one.state.as_str(), one.amount.minor(), one.gateway_id.is_some())
        });
        shown.collect()
    }

    #[test]
    fn refund_by_hand_is_the_requested_one_or_a_part_of_it_or_more() {
        use ReversalReason::{Refund, Return};
        assert_eq!(distributed(&[(Refund, 40)], 40), [("refund", "succeeded", 40, true)]);
        assert_eq!(
            distributed(&[(Refund, 40)], 15),
            [("refund", "failed", 25, false), ("refund", "succeeded", 15, true)]
        );
        assert_eq!(
            distributed(&[(Refund, 40)], 50),
            [("refund", "succeeded", 40, false), ("elsewhere", "succeeded", 10, true)]
        );
        assert_eq!(
            distributed(&[(Refund, 40), (Return, 10)], 50),
            [("return", "succeeded", 10, true), ("refund", "succeeded", 40, false)],
            "what is to be returned comes first"
        );
    }

    #[test]
    fn refund_that_the_gateway_has_accepted_or_made_is_not_the_one_by_hand() {
        let ids = CountingIds::default();
        let charge = Id::new(&ids, FixedClock::START);
        let requested = || reversal(&ids, charge, ReversalReason::Refund, 40);
        let accepted = Reversal { gateway_id: Some("re_2".to_owned()), ..requested() };
        let made = Reversal { state: RefundState::Succeeded, ..requested() };
        let dispute = Reversal { reason: ReversalReason::Dispute, ..requested() };
        let by_hand = reversal(&ids, charge, ReversalReason::Elsewhere, 40);
        let changed = distribute(&[accepted, made, dispute], by_hand.clone(), by_hand.gateway_refund_key);
        assert_eq!(changed, [by_hand]);
    }

    #[test]
    fn refund_by_hand_that_fails_gives_back_the_requests_that_it_stood_for_alone() {
        let ids = CountingIds::default();
        let charge = Id::new(&ids, FixedClock::START);
        let [first, second, other] = [40, 30, 20].map(|m| reversal(&ids, charge, ReversalReason::Refund, m));
        let by_hand = reversal(&ids, charge, ReversalReason::Elsewhere, 60);
        let (new_key, made_key) = (Id::new(&ids, FixedClock::START), by_hand.gateway_refund_key);
        let changed = distribute(&[first.clone(), second.clone()], by_hand.clone(), new_key);
        let keys: Vec<_> = changed.iter().map(|one| (one.id, one.gateway_refund_key)).collect();
        assert_eq!(keys, [(first.id, made_key), (second.id, new_key), (by_hand.id, made_key)]);
        let known = [&changed[..], &[other]].concat();
        let back: Vec<_> = stood_for(&known, &changed[2]).into_iter().map(|one| one.id).collect();
        assert_eq!(back, [first.id, by_hand.id]);
    }

    proptest! {
        /// What was refunded and what is still requested are together what was requested, and what was
        /// refunded beyond it.
        #[test]
        fn nothing_is_refunded_twice(
            requested in prop::collection::vec(1..300_i64, 0..4),
            made in 1..1_000_i64,
        ) {
            let refunds: Vec<_> = requested.iter().map(|minor| (ReversalReason::Refund, *minor)).collect();
            let changed = distributed(&refunds, made);
            let sum = |state: &str| changed.iter().filter(|one| one.1 == state).map(|one| one.2).sum::<i64>();
            prop_assert_eq!(sum("succeeded"), made);
            // The part of one that was refunded is a reversal of its own.
            let parts = changed.iter().filter(|one| one.1 == "failed").count();
            let reached = changed.iter().filter(|one| one.0 == "refund").count() - parts;
            let untouched: i64 = requested.iter().skip(reached).sum();
            let wanted: i64 = requested.iter().sum();
            prop_assert_eq!(sum("failed") + untouched, (wanted - made).max(0));
        }
    }
}
