//! Reports of charges.

use kernel::Clock;
use payments::{ChargeId, ChargeState, CheckoutState, GatewayError, MethodKind, PaymentGateway};
use payments::{RefundState, ReversalKind};
use time::Duration;

use crate::ground::{Ground, money};

#[tokio::test]
async fn debit_is_pending_until_the_bank_carries_it_out() {
    let ground = Ground::new().await;
    let (new, id) = ground.open().await;
    let charge = ChargeId(ground.stand_in.world(|world| world.order_debit(&id.0, "au_becs_debit")));
    let ordered_at = ground.clock.now().unix_timestamp();
    let pending = ground.fetched(&id).await;
    assert_eq!(pending.state, CheckoutState::Complete);
    assert_eq!(pending.charges[0].state, ChargeState::Pending);
    assert_eq!(pending.charges[0].method, MethodKind::DirectDebit);
    assert_eq!(pending.charges[0].captured_at.unix_timestamp(), ordered_at);

    ground.clock.advance(Duration::days(2));
    ground.stand_in.world(|world| world.debit_succeeds(&charge.0));
    let paid = ground.charge(&charge).await;
    assert_eq!(
        (paid.state, paid.intent, paid.amount),
        (ChargeState::Succeeded, Some(new.intent), new.amount)
    );
    assert_eq!(paid.captured_at.unix_timestamp(), ordered_at + 2 * 86_400);
    assert!(paid.captured_at <= ground.clock.now());
    ground.ends_well();
}

#[tokio::test]
async fn debit_that_comes_back_has_failed() {
    let ground = Ground::new().await;
    let (_, id) = ground.open().await;
    let charge = ChargeId(ground.stand_in.world(|world| world.order_debit(&id.0, "sepa_debit")));
    ground.stand_in.world(|world| world.debit_fails(&charge.0));
    assert_eq!(ground.charge(&charge).await.state, ChargeState::Failed);
    ground.ends_well();
}

#[tokio::test]
async fn cards_and_wallets_debits_and_transfers_are_three_methods() {
    let ground = Ground::new().await;
    for (r#type, kind) in [
        ("card", MethodKind::Card),
        ("paypal", MethodKind::Card),
        ("bacs_debit", MethodKind::DirectDebit),
        ("ideal", MethodKind::BankTransfer),
    ] {
        let (_, id) = ground.open().await;
        ground.stand_in.world(|world| world.pay(&id.0, r#type));
        assert_eq!(ground.fetched(&id).await.charges[0].method, kind, "{}", r#type);
    }
    ground.ends_well();
}

#[tokio::test]
async fn dispute_is_a_reversal_from_its_first_day_to_its_end() {
    let ground = Ground::new().await;
    let charge = ground.paid().await;
    let dispute = ground.stand_in.world(|world| world.dispute(&charge.0, 4_000, "aud", "needs_response"));
    for (status, state) in [
        ("needs_response", Some(RefundState::Pending)),
        ("under_review", Some(RefundState::Pending)),
        ("lost", Some(RefundState::Succeeded)),
        ("appeal_under_review", Some(RefundState::Pending)),
        ("won", Some(RefundState::Failed)),
        ("warning_needs_response", None),
        ("warning_closed", None),
        ("prevented", None),
    ] {
        ground.stand_in.world(|world| world.dispute_becomes(&dispute, status));
        let reversals = ground.charge(&charge).await.reversals;
        assert_eq!(reversals.first().map(|reversal| reversal.state), state, "{status}");
        for reversal in reversals {
            assert_eq!((reversal.kind, reversal.amount), (ReversalKind::Dispute, money("40.00 AUD")));
            assert_eq!((reversal.id, reversal.refund), (dispute.clone(), None));
        }
    }
    ground.ends_well();
}

#[tokio::test]
async fn dispute_in_another_currency_puts_the_whole_charge_in_doubt() {
    let ground = Ground::new().await;
    let charge = ground.paid().await;
    ground.stand_in.world(|world| world.dispute(&charge.0, 7_213, "usd", "needs_response"));
    assert_eq!(ground.charge(&charge).await.reversals[0].amount, money("110.00 AUD"));
    ground.ends_well();
}

#[tokio::test]
async fn charge_of_another_has_no_intent_and_one_that_is_not_there_is_not_found() {
    let ground = Ground::new().await;
    let others = ChargeId(ground.stand_in.world(|world| world.charge_elsewhere("aud")));
    assert_eq!(ground.charge(&others).await.intent, None);
    for missing in ["ch_none", "", "../refunds", "ch 1", "ch?x"] {
        let missing = ChargeId(missing.to_owned());
        let fetched = ground.stripe.fetch_charge(&ground.access, &missing).await;
        assert_eq!(fetched, Err(GatewayError::NotFound), "{missing:?}");
    }
    ground.ends_well();
}
