//! Opening, reading and expiring checkouts.

use kernel::EmailAddress;
use payments::{
    AmountRefused, ChargeState, CheckoutId, CheckoutReport, CheckoutState, GatewayError, MethodKind,
    PaymentGateway,
};
use serde_json::{Value, json};
use time::Duration;

use crate::fixture::{Fixture, money};
use crate::stand_in::InjectedFault;

#[tokio::test]
async fn opened_session_carries_the_intent_and_the_exact_amount() {
    let fixture = Fixture::new().await;
    let (new, id) = fixture.open().await;
    let session = fixture.stand_in.world(|world| world.session(&id.0));
    assert_eq!(session["amount_total"], 11_000);
    assert_eq!(session["currency"], "aud");
    assert_eq!(session["metadata"]["intent_id"], new.intent.to_string());
    assert_eq!(session["client_reference_id"], new.intent.to_string());
    assert_eq!(session["success_url"], new.return_url);
    assert_eq!(session["customer_email"], "payer+7@example.com");
    assert_eq!(session["expires_at"], new.expires_at.unix_timestamp());
    fixture.assert_no_faults();
}

#[tokio::test]
async fn address_is_given_with_its_domain_in_ascii_or_left_out() {
    let fixture = Fixture::new().await;
    for (address, given) in
        [("ada@münchen.example", json!("ada@xn--mnchen-3ya.example")), ("zoë@example.com", Value::Null)]
    {
        let mut new = fixture.checkout(money("110.00 AUD"));
        new.payer_email = Some(EmailAddress::parse(address).unwrap());
        let id = fixture.stripe.open_checkout(&fixture.access, &new).await.unwrap().id;
        assert_eq!(fixture.stand_in.world(|world| world.session(&id.0))["customer_email"], given);
    }
    fixture.assert_no_faults();
}

#[tokio::test]
async fn same_intent_opens_one_session_also_when_the_answer_was_lost() {
    let fixture = Fixture::new().await;
    let new = fixture.checkout(money("110.00 AUD"));
    fixture.stand_in.next(InjectedFault::LoseResponse);
    let lost = fixture.stripe.open_checkout(&fixture.access, &new).await;
    assert!(matches!(lost, Err(GatewayError::Unreachable(_))), "{lost:?}");
    fixture.clock.advance(Duration::minutes(5));
    let first = fixture.stripe.open_checkout(&fixture.access, &new).await.unwrap();
    assert_eq!(fixture.stripe.open_checkout(&fixture.access, &new).await.unwrap(), first);
    assert!(first.url.starts_with(&fixture.stand_in.url()));
    assert_eq!(fixture.stripe.checkout_origin(), Some(fixture.stand_in.url()));

    let mut other = new.clone();
    other.amount = money("50.00 AUD");
    let refused = fixture.stripe.open_checkout(&fixture.access, &other).await;
    assert!(matches!(refused, Err(GatewayError::Refused(_))), "{refused:?}");
    fixture.assert_no_faults();
}

#[tokio::test]
async fn second_click_waits_for_the_session_that_the_first_one_opens() {
    let fixture = Fixture::new().await;
    let new = fixture.checkout(money("110.00 AUD"));
    let first = fixture.stripe.open_checkout(&fixture.access, &new).await.unwrap();
    let in_use =
        serde_json::json!({ "error": { "type": "idempotency_error", "code": "idempotency_key_in_use" } });
    fixture.stand_in.next(InjectedFault::Respond(409, in_use));
    assert_eq!(fixture.stripe.open_checkout(&fixture.access, &new).await, Ok(first));
    fixture.assert_no_faults();
}

#[tokio::test]
async fn every_currency_is_written_in_the_units_of_stripe_and_read_back() {
    let fixture = Fixture::new().await;
    for (amount, units) in [
        ("1000 JPY", 1_000),
        ("12.340 BHD", 12_340),
        ("500 ISK", 50_000),
        ("5000 UGX", 500_000),
        ("200.00 MGA", 200),
    ] {
        let new = fixture.checkout(money(amount));
        let id = fixture.stripe.open_checkout(&fixture.access, &new).await.unwrap().id;
        let session = fixture.stand_in.world(|world| {
            world.pay(&id.0, "card");
            world.session(&id.0)
        });
        assert_eq!(session["amount_total"], units, "{amount}");
        assert_eq!(fixture.fetched(&id).await.charges[0].amount, money(amount));
    }
    fixture.assert_no_faults();
}

#[tokio::test]
async fn amount_that_stripe_does_not_take_is_refused_before_a_call() {
    let fixture = Fixture::new().await;
    let fine = money("12.345 BHD");
    for (amount, fault) in [
        (fine, AmountRefused::NotWritable(fine)),
        (money("0.49 AUD"), AmountRefused::BelowMinimum(money("0.50 AUD"))),
        (money("20000000000.00 AUD"), AmountRefused::AboveMaximum),
        (money("1.000 IQD"), AmountRefused::CurrencyNotTaken(money("1.000 IQD").currency())),
    ] {
        let refused = fixture.stripe.open_checkout(&fixture.access, &fixture.checkout(amount)).await;
        assert_eq!(refused, Err(GatewayError::Amount(fault)));
        assert_eq!(fixture.stripe.takes(amount), Err(fault));
    }
    assert!(fixture.stand_in.calls().is_empty());
    // The stand-in's own minimum, in a currency for which Stripe documents none.
    let refused = fixture.stripe.open_checkout(&fixture.access, &fixture.checkout(money("0.10 BAM"))).await;
    assert_eq!(refused, Err(GatewayError::Amount(AmountRefused::BelowUnknownMinimum)));
    fixture.assert_no_faults();
}

#[tokio::test]
async fn fetched_checkout_shows_every_charge_that_came_of_it() {
    let fixture = Fixture::new().await;
    let (new, id) = fixture.open().await;
    let before = fixture.fetched(&id).await;
    assert_eq!((before.state, before.charges.len()), (CheckoutState::Open, 0));

    fixture.stand_in.world(|world| world.decline(&id.0));
    let declined = fixture.fetched(&id).await;
    assert_eq!((declined.state, declined.charges[0].state), (CheckoutState::Open, ChargeState::Failed));
    assert_eq!(declined.charges[0].amount, new.amount);

    fixture.clock.advance(Duration::minutes(3));
    fixture.stand_in.world(|world| world.pay(&id.0, "card"));
    let paid = fixture.fetched(&id).await;
    assert_eq!(paid.state, CheckoutState::Complete);
    let states: Vec<_> = paid.charges.iter().map(|charge| charge.state).collect();
    assert_eq!(states, [ChargeState::Succeeded, ChargeState::Failed]);
    let charge = &paid.charges[0];
    assert_eq!(
        (charge.intent, charge.amount, charge.method),
        (Some(new.intent), new.amount, MethodKind::Card)
    );
    fixture.assert_no_faults();
}

#[tokio::test]
async fn checkout_is_ordered_while_the_payer_verifies_the_bank_account() {
    let fixture = Fixture::new().await;
    let (_, id) = fixture.open().await;
    fixture.stand_in.world(|world| world.order_unverified_debit(&id.0));
    let ordered = CheckoutReport { state: CheckoutState::Ordered, charges: Vec::new() };
    assert_eq!(fixture.fetched(&id).await, ordered);
    assert_eq!(fixture.stripe.expire_checkout(&fixture.access, &id).await, Ok(()));
    for status in ["requires_payment_method", "canceled"] {
        fixture.stand_in.world(|world| world.intent_becomes(&id.0, status));
        assert_eq!(
            fixture.fetched(&id).await,
            CheckoutReport { state: CheckoutState::Complete, ..ordered.clone() }
        );
    }
    fixture.assert_no_faults();
}

#[tokio::test]
async fn checkout_of_twenty_five_attempts_shows_all_of_them() {
    let fixture = Fixture::new().await;
    let (_, id) = fixture.open().await;
    for _ in 0..25 {
        fixture.stand_in.world(|world| world.decline(&id.0));
    }
    assert_eq!(fixture.fetched(&id).await.charges.len(), 25);
    fixture.assert_no_faults();
}

#[tokio::test]
async fn expired_checkout_is_expired_and_a_complete_one_stays_complete() {
    let fixture = Fixture::new().await;
    let (_, open) = fixture.open().await;
    for _ in 0..2 {
        assert_eq!(fixture.stripe.expire_checkout(&fixture.access, &open).await, Ok(()));
        assert_eq!(fixture.fetched(&open).await.state, CheckoutState::Expired);
    }
    let (_, paid) = fixture.open().await;
    fixture.stand_in.world(|world| world.pay(&paid.0, "card"));
    assert_eq!(fixture.stripe.expire_checkout(&fixture.access, &paid).await, Ok(()));
    assert_eq!(fixture.fetched(&paid).await.state, CheckoutState::Complete);
    for missing in ["cs_test_none", "../events", ""] {
        let missing = CheckoutId(missing.to_owned());
        let expired = fixture.stripe.expire_checkout(&fixture.access, &missing).await;
        assert_eq!(expired, Err(GatewayError::NotFound));
        assert_eq!(
            fixture.stripe.fetch_checkout(&fixture.access, &missing).await,
            Err(GatewayError::NotFound)
        );
    }
    fixture.assert_no_faults();
}

#[tokio::test]
async fn refused_expiry_is_requested_again_under_a_new_key() {
    let fixture = Fixture::new().await;
    let (_, id) = fixture.open().await;
    let busy = serde_json::json!({ "error": { "message": "a payment is under way" } });
    fixture.stand_in.next(InjectedFault::Respond(400, busy));
    let refused = fixture.stripe.expire_checkout(&fixture.access, &id).await;
    assert_eq!(refused, Err(GatewayError::Refused("Stripe answered 400: a payment is under way".to_owned())));
    assert_eq!(fixture.stripe.expire_checkout(&fixture.access, &id).await, Ok(()));
    fixture.assert_no_faults();
}

#[tokio::test]
async fn checkout_page_on_another_origin_is_refused() {
    let fixture = Fixture::new().await;
    let body =
        br#"{"id":"cs_1","url":"https://pay.example.com/c/cs_1","status":"open","payment_intent":null}"#;
    fixture.stand_in.next(InjectedFault::RespondRaw(200, body.to_vec()));
    let refused = fixture.stripe.open_checkout(&fixture.access, &fixture.checkout(money("110.00 AUD"))).await;
    let Err(GatewayError::Refused(text)) = refused else { panic!("{refused:?}") };
    assert!(text.contains("custom domains do not work"), "{text}");
}
