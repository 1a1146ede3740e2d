//! The outcomes of calls that fail.

use gateway_stripe::API_VERSION;
use payments::{AmountRefused, GatewayError, PaymentGateway};
use serde_json::{Value, json};
use testkit::FixedClock;

use crate::fixture::{Fixture, access, money, stripe_at};
use crate::stand_in::{InjectedFault, KEY};

fn error(code: &str, message: &str) -> Value {
    json!({ "error": { "type": "invalid_request_error", "code": code, "message": message } })
}

#[tokio::test]
async fn status_decides_whether_the_same_call_may_succeed_later() {
    let fixture = Fixture::new().await;
    let unreachable = |text: &str| GatewayError::Unreachable(text.to_owned());
    let refused = |text: &str| GatewayError::Refused(text.to_owned());
    for (status, body, expected) in [
        (500, json!({}), unreachable("Stripe answered 500")),
        (503, json!("busy"), unreachable("Stripe answered 503")),
        (302, json!({}), unreachable("Stripe answered 302")),
        (409, error("", "in use"), unreachable("Stripe answered 409: in use")),
        (429, error("rate_limit", "slower"), unreachable("Stripe answered 429: slower")),
        (400, error("lock_timeout", "locked"), unreachable("Stripe answered 400: locked")),
        (400, error("parameter_invalid_integer", "no"), refused("Stripe answered 400: no")),
        (402, error("card_declined", "declined"), refused("Stripe answered 402: declined")),
        (404, error("resource_missing", "none"), GatewayError::NotFound),
        (400, error("amount_too_small", "too small"), AmountRefused::BelowUnknownMinimum.into()),
        (400, error("amount_too_large", "too large"), AmountRefused::AboveMaximum.into()),
    ] {
        fixture.stand_in.next(InjectedFault::Respond(status, body));
        let new = fixture.checkout(money("110.00 AUD"));
        let answered = fixture.stripe.open_checkout(&fixture.access, &new).await;
        assert_eq!(answered, Err(expected), "{status}");
    }
    fixture.assert_no_faults();
}

#[tokio::test]
async fn answer_that_is_none_is_unreachable_and_not_quoted() {
    let fixture = Fixture::new().await;
    let huge = vec![b' '; 4 * 1024 * 1024 + 1];
    for body in [b"<html>secret".to_vec(), b"{}".to_vec(), br#"{"id":7,"url":"secret"}"#.to_vec(), huge] {
        fixture.stand_in.next(InjectedFault::RespondRaw(200, body));
        let answered =
            fixture.stripe.open_checkout(&fixture.access, &fixture.checkout(money("5.00 AUD"))).await;
        let Err(GatewayError::Unreachable(text)) = answered else { panic!("{answered:?}") };
        assert!(!text.contains("secret"), "{text}");
    }
    let (_, id) = fixture.open().await;
    let odd = br#"{"id":"cs_1","url":null,"status":"asleep","payment_intent":null}"#.to_vec();
    fixture.stand_in.next(InjectedFault::RespondRaw(200, odd));
    let answered = fixture.stripe.fetch_checkout(&fixture.access, &id).await;
    assert!(matches!(answered, Err(GatewayError::Unreachable(_))), "{answered:?}");
}

#[tokio::test]
async fn stripe_out_of_reach_is_unreachable() {
    // Nothing listens on port 9, that of the discard protocol (RFC 863).
    let fixture = Fixture::new().await;
    let stripe = stripe_at("http://127.0.0.1:9", &FixedClock::default());
    let answered = stripe.check_key(&fixture.access).await;
    let Err(GatewayError::Unreachable(text)) = answered else { panic!("{answered:?}") };
    assert!(text.starts_with("no answer from Stripe: "), "{text}");
    assert!(!text.contains("127.0.0.1:9/v1"), "no address with ids in it: {text}");
}

#[tokio::test]
async fn key_that_works_is_good_and_another_is_refused_without_being_shown() {
    let fixture = Fixture::new().await;
    assert_eq!(fixture.stripe.check_key(&fixture.access).await, Ok(()));
    assert!(fixture.stand_in.calls().iter().all(|call| call.starts_with("GET ")), "nothing is changed");

    let wrong = access(&*fixture.ids, "rk_test_wrongAndSecret");
    let refused = fixture.stripe.check_key(&wrong).await;
    let text = "Stripe answered 401: Invalid API Key provided: [key]".to_owned();
    assert_eq!(refused, Err(GatewayError::KeyRefused(text)));
    let odd = access(&*fixture.ids, "anotherSecret/of.a-kind");
    let Err(GatewayError::KeyRefused(text)) = fixture.stripe.check_key(&odd).await else { panic!() };
    assert!(!text.contains("anotherSecret"), "{text}");
    fixture.assert_no_faults();
}

#[tokio::test]
async fn key_without_a_permission_is_refused_for_each_that_is_read() {
    for operation in [
        "list sessions", "list payment intents", "list charges", "list refunds", "list disputes",
        "list events", "list balance transactions",
    ] {
        let fixture = Fixture::new().await;
        fixture.stand_in.world(|world| world.deny(operation));
        let refused = fixture.stripe.check_key(&fixture.access).await;
        let Err(GatewayError::KeyRefused(text)) = refused else { panic!("{operation}: {refused:?}") };
        assert!(text.contains("required permissions") && !text.contains(KEY), "{text}");
    }
}

#[test]
fn api_version_is_that_of_the_contract_table() {
    assert_eq!(crate::stand_in::contract::Contract::load().api_version(), API_VERSION);
}
