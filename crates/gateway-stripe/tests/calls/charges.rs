//! Reports of charges.

use kernel::Clock;
use payments::{ChargeId, ChargeState, CheckoutState, GatewayError, MethodKind, PaymentGateway};
use payments::{RefundState, ReversalKind};
use time::Duration;

use crate::fixture::{Fixture, money};

#[tokio::test]
async fn debit_is_pending_until_the_bank_carries_it_out() {
    let fixture = Fixture::new().await;
    let (new, id) = fixture.open().await;
    let charge = ChargeId(fixture.stand_in.world(|world| world.order_debit(&id.0, "au_becs_debit")));
    let ordered_at = fixture.clock.now().unix_timestamp();
    let pending = fixture.fetched(&id).await;
    assert_eq!(pending.state, CheckoutState::Complete);
    assert_eq!(pending.charges[0].state, ChargeState::Pending);
    assert_eq!(pending.charges[0].method, MethodKind::DirectDebit);
    assert_eq!(pending.charges[0].captured_at.unix_timestamp(), ordered_at);

    fixture.clock.advance(Duration::days(2));
    fixture.stand_in.world(|world| world.debit_succeeds(&charge.0));
    let paid = fixture.charge(&charge).await;
    assert_eq!(
        (paid.state, paid.intent, paid.amount),
        (ChargeState::Succeeded, Some(new.intent), new.amount)
    );
    assert_eq!(paid.captured_at.unix_timestamp(), ordered_at + 2 * 86_400);
    assert!(paid.captured_at <= fixture.clock.now());
    fixture.assert_no_faults();
}

#[tokio::test]
async fn debit_that_comes_back_has_failed() {
    let fixture = Fixture::new().await;
    let (_, id) = fixture.open().await;
    let charge = ChargeId(fixture.stand_in.world(|world| world.order_debit(&id.0, "sepa_debit")));
    fixture.stand_in.world(|world| world.debit_fails(&charge.0));
    assert_eq!(fixture.charge(&charge).await.state, ChargeState::Failed);
    fixture.assert_no_faults();
}

#[tokio::test]
async fn cards_and_wallets_debits_and_transfers_are_three_methods() {
    let fixture = Fixture::new().await;
    for (r#type, kind) in [
        ("card", MethodKind::Card),
        ("paypal", MethodKind::Card),
        ("bacs_debit", MethodKind::DirectDebit),
        ("ideal", MethodKind::BankTransfer),
    ] {
        let (_, id) = fixture.open().await;
        fixture.stand_in.world(|world| world.pay(&id.0, r#type));
        assert_eq!(fixture.fetched(&id).await.charges[0].method, kind, "{}", r#type);
    }
    fixture.assert_no_faults();
}

#[tokio::test]
async fn dispute_is_a_reversal_from_its_first_day_to_its_end() {
    let fixture = Fixture::new().await;
    let charge = fixture.paid().await;
    let dispute = fixture.stand_in.world(|world| world.dispute(&charge.0, 4_000, "aud", "needs_response"));
    for (status, state) in [
        ("needs_response", Some(RefundState::Succeeded)),
        ("under_review", Some(RefundState::Succeeded)),
        ("lost", Some(RefundState::Succeeded)),
        ("appeal_under_review", Some(RefundState::Succeeded)),
        ("won", Some(RefundState::Failed)),
        ("warning_needs_response", None),
        ("warning_closed", None),
        ("prevented", None),
    ] {
        fixture.stand_in.world(|world| world.dispute_becomes(&dispute, status));
        let reversals = fixture.charge(&charge).await.reversals;
        assert_eq!(reversals.first().map(|reversal| reversal.state), state, "{status}");
        for reversal in reversals {
            assert_eq!((reversal.kind, reversal.amount), (ReversalKind::Dispute, money("40.00 AUD")));
            assert_eq!((reversal.id, reversal.refund), (dispute.clone(), None));
        }
    }
    fixture.assert_no_faults();
}

#[tokio::test]
async fn dispute_in_another_currency_puts_the_whole_charge_in_doubt() {
    let fixture = Fixture::new().await;
    let charge = fixture.paid().await;
    // Amounts of the second currency cannot be read.
    for (currency, count) in [("usd", 1), ("lyd", 2)] {
        fixture.stand_in.world(|world| world.dispute(&charge.0, 7_213, currency, "needs_response"));
        let reversals = fixture.charge(&charge).await.reversals;
        let amounts: Vec<_> = reversals.iter().map(|one| one.amount).collect();
        assert_eq!(amounts, vec![money("110.00 AUD"); count]);
    }
    fixture.assert_no_faults();
}

#[tokio::test]
async fn charge_of_another_is_not_found_like_one_that_is_not_there() {
    let fixture = Fixture::new().await;
    // Of the second currency, no amount can be read.
    let others =
        ["aud", "ang"].map(|currency| fixture.stand_in.world(|world| world.charge_elsewhere(currency)));
    let others = others.iter().map(String::as_str);
    for missing in ["ch_none", "", "../refunds", "ch 1", "ch?x"].into_iter().chain(others) {
        let missing = ChargeId(missing.to_owned());
        let fetched = fixture.stripe.fetch_charge(&fixture.access, &missing).await;
        assert_eq!(fetched, Err(GatewayError::NotFound), "{missing:?}");
    }
    fixture.assert_no_faults();
}

#[tokio::test]
async fn charge_names_the_account_for_which_its_checkout_was_opened() {
    let fixture = Fixture::new().await;
    let (new, id) = fixture.open().await;
    let charge = ChargeId(fixture.stand_in.world(|world| world.pay(&id.0, "card")));
    assert_eq!(fixture.charge(&charge).await.account, Some(new.account));
    fixture.assert_no_faults();
}
