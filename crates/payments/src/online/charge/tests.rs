//! What a charge covers, and that its parts add up.

use kernel::Id;
use proptest::prelude::*;
use testkit::{CountingIds, FixedClock};

use super::*;
use crate::online::samples::{aud, charge, report};

fn reversal(ids: &CountingIds, charge: &Charge, (reason, state, minor): (u8, u8, i64)) -> Reversal {
    let id: ReversalId = Id::new(ids, FixedClock::START);
    Reversal {
        id,
        account: charge.account,
        charge: charge.id,
        reason: match reason {
            0 => ReversalReason::Return,
            1 => ReversalReason::Refund,
            2 => ReversalReason::Elsewhere,
            _ => ReversalReason::Dispute,
        },
        amount: aud(minor),
        state: match state {
            0 => RefundState::Pending,
            1 => RefundState::Failed,
            _ => RefundState::Succeeded,
        },
        gateway_refund_key: Reversal::first_key(id),
        gateway_id: None,
        created_at: FixedClock::START,
        succeeded_at: None,
    }
}

#[test]
fn return_leaves_what_waits_besides_to_the_other_returns() {
    let ids = CountingIds::default();
    let mut charge = charge(&ids, 110);
    assert!(charge.observe(&report(ChargeState::Succeeded, 110)));
    // The bank took 50 back of what was to be returned.
    let all: Vec<_> = [(3, 2, 50), (0, 1, 105), (0, 1, 5), (1, 1, 30)]
        .into_iter()
        .map(|one| reversal(&ids, &charge, one))
        .collect();
    let left = |all: &[Reversal], n: usize| charge.left_for(&all[n], all);
    assert_eq!((left(&all, 1), left(&all, 2)), (aud(55), aud(60)));
    let mut accepted = all;
    accepted[1] =
        Reversal { gateway_id: Some("re_1".to_owned()), state: RefundState::Pending, ..accepted[1].clone() };
    assert_eq!(left(&accepted, 2), aud(0), "the gateway makes more than is left");
}

#[test]
fn refund_of_more_than_the_bank_left_takes_nothing_and_earlier_ones_come_first() {
    let ids = CountingIds::default();
    let mut charge = charge(&ids, 110);
    assert!(charge.observe(&report(ChargeState::Succeeded, 110)));
    charge.applied = aud(110);
    let all: Vec<_> = [(3, 2, 50), (1, 1, 80), (1, 0, 40), (1, 1, 30)]
        .into_iter()
        .map(|one| reversal(&ids, &charge, one))
        .collect();
    let covered: Vec<_> = all[1..].iter().map(|one| charge.covers_refund(one, &all)).collect();
    assert_eq!((covered, charge.refundable(&all)), (vec![false, true, false], aud(20)));
    assert!(charge.covers_own(&all));
}

#[test]
fn refund_that_is_on_its_way_comes_before_earlier_requests_and_those_of_other_charges_count_nowhere() {
    let ids = CountingIds::default();
    let (mut charge, other) = (charge(&ids, 110), charge(&ids, 110));
    assert!(charge.observe(&report(ChargeState::Succeeded, 110)));
    charge.applied = aud(110);
    let requested = reversal(&ids, &charge, (1, 0, 80));
    let elsewhere = reversal(&ids, &other, (1, 0, 10));
    let accepted = reversal(&ids, &charge, (1, 0, 80));
    let accepted = Reversal { gateway_id: Some("re_1".to_owned()), ..accepted };
    let all = [requested, elsewhere, accepted];
    let covered: Vec<_> = all.iter().map(|one| charge.covers_refund(one, &all)).collect();
    assert_eq!((covered, charge.refundable(&all)), (vec![false, false, true], aud(30)));
}

#[test]
fn refund_for_which_a_won_dispute_leaves_enough_is_newly_covered() {
    let ids = CountingIds::default();
    let mut charge = charge(&ids, 110);
    assert!(charge.observe(&report(ChargeState::Succeeded, 110)));
    charge.applied = aud(110);
    let lost = reversal(&ids, &charge, (3, 2, 50));
    let (small, large) = (reversal(&ids, &charge, (1, 0, 20)), reversal(&ids, &charge, (1, 0, 80)));
    let won = Reversal { state: RefundState::Failed, ..lost.clone() };
    let (before, now) = ([lost, small.clone(), large.clone()], [won, small, large.clone()]);
    assert_eq!(charge.newly_covered(&before, &now), BTreeSet::from([large.id]));
    assert_eq!(charge.newly_covered(&now, &before), BTreeSet::new());
}

#[test]
fn figures_that_do_not_add_up_are_not_conserved() {
    let ids = CountingIds::default();
    let mut charge = charge(&ids, 110);
    assert!(charge.observe(&report(ChargeState::Succeeded, 110)));
    charge.applied = aud(100);
    let refund = reversal(&ids, &charge, (1, 2, 30));
    let figures = charge.figures(&[refund]);
    assert!(figures.are_conserved());
    let wrong = [
        Figures { captured: aud(111), ..figures },
        Figures { applied: aud(111), unapplied: aud(-1), to_return: aud(-1), ..figures },
        Figures { returned: aud(1), ..figures },
        Figures { kept: aud(1), ..figures },
        Figures { reversed: aud(101), ..figures },
        Figures { reversed: aud(-1), ..figures },
    ];
    for figures in wrong {
        assert!(!figures.are_conserved(), "{figures:?}");
    }
}

proptest! {
    /// This also holds when the gateway reports more refunds than it captured.
    #[test]
    fn parts_of_a_charge_always_add_up(
        captured in 0..1_000_i64,
        applied in 0..1_000_i64,
        keeps in any::<bool>(),
        reversals in prop::collection::vec((0..4_u8, 0..3_u8, 1..1_000_i64), 0..6),
    ) {
        let ids = CountingIds::default();
        let mut charge = charge(&ids, captured);
        prop_assert!(charge.observe(&report(ChargeState::Succeeded, captured)));
        charge.applied = aud(applied.min(captured));
        charge.keeps_unapplied = keeps;
        let reversals: Vec<_> = reversals.into_iter().map(|one| reversal(&ids, &charge, one)).collect();
        for known in 0..=reversals.len() {
            let figures = charge.figures(&reversals[..known]);
            prop_assert!(figures.are_conserved(), "{figures:?}");
            let left = charge.refundable(&reversals[..known]).minor();
            prop_assert!((0..=figures.applied.minor() - figures.reversed.minor()).contains(&left));
        }
    }

    #[test]
    fn own_reversals_of_more_than_there_was_are_noticed(
        captured in 1..1_000_i64,
        applied in 0..1_000_i64,
        reason in 0..4_u8,
        amount in 1..2_000_i64,
    ) {
        let ids = CountingIds::default();
        let mut charge = charge(&ids, captured);
        prop_assert!(charge.observe(&report(ChargeState::Succeeded, captured)));
        charge.applied = aud(applied.min(captured));
        let applied = charge.applied.minor();
        let most = match reason {
            0 => captured - applied,
            1 => applied,
            _ => i64::MAX,
        };
        let reversal = reversal(&ids, &charge, (reason, 2, amount));
        prop_assert_eq!(charge.covers_own(&[reversal]), amount <= most);
    }

    #[test]
    fn reports_in_any_order_and_number_end_in_the_same_state_and_apply_once(
        states in prop::collection::vec(prop::sample::select(vec![
            ChargeState::Pending, ChargeState::Failed, ChargeState::Succeeded,
        ]), 1..8),
    ) {
        let mut charge = charge(&CountingIds::default(), 500);
        let applied = states.iter().filter(|state| charge.observe(&report(**state, 500))).count();
        prop_assert_eq!(charge.state, *states.iter().max().unwrap());
        prop_assert_eq!(applied, usize::from(states.contains(&ChargeState::Succeeded)));
    }
}
