//! Events: their signatures and subjects.

use std::sync::{Arc, Mutex};

use kernel::Clock;
use payments::{
    ChargeId, CheckoutId, EventRefused, EventSubject, GatewayAccess, GatewaySecret, PaymentGateway,
    TimedSignature,
};
use time::Duration;

use crate::fixture::{Fixture, client, stripe_at};
use crate::stand_in::contract::Contract;
use crate::stand_in::server::{Response, Server};
use crate::stand_in::{StandIn, WEBHOOK_SECRET};

#[tokio::test]
async fn events_lead_to_the_checkout_or_the_charge_that_they_are_about() {
    let fixture = Fixture::new().await;
    let (_, id) = fixture.open().await;
    let charge = fixture.stand_in.world(|world| world.pay(&id.0, "card"));
    fixture.stand_in.world(|world| {
        world.refund_elsewhere(&charge, 100);
        world.dispute(&charge, 100, "aud", "needs_response");
    });
    let about_charge = EventSubject::Charge(ChargeId(charge));
    let events = fixture.stand_in.events();
    assert_eq!(
        events.types(),
        [
            "charge.succeeded", "checkout.session.completed", "refund.created", "charge.refunded",
            "charge.dispute.created",
        ]
    );
    let mut seen = Vec::new();
    for event in events.signed() {
        let (signature, body) = (&event.signature, event.body.as_bytes());
        let event =
            fixture.stripe.verify_event(&fixture.access, signature, body, fixture.clock.now()).unwrap();
        seen.push(event.subject);
    }
    let about_checkout = EventSubject::Checkout(CheckoutId(id.0));
    let charge = || about_charge.clone();
    assert_eq!(seen, [charge(), about_checkout, charge(), charge(), charge()]);
    assert_eq!(fixture.stripe.signature_header(), "Stripe-Signature");
    fixture.assert_no_faults();
}

#[tokio::test]
async fn event_with_another_signature_body_or_time_is_refused() {
    let fixture = Fixture::new().await;
    fixture.paid().await;
    let event = fixture.stand_in.events().signed().swap_remove(0);
    let verify = |access: &GatewayAccess, signature: &str, body: &str, after: i64| {
        let now = fixture.clock.now() + Duration::seconds(after);
        fixture.stripe.verify_event(access, signature, body.as_bytes(), now).map(drop)
    };
    assert_eq!(verify(&fixture.access, &event.signature, &event.body, 300), Ok(()));
    let without_secret = GatewayAccess { webhook_secrets: Vec::new(), ..fixture.access.clone() };
    let other = vec![GatewaySecret::parse("whsec_ofAnotherAccount").unwrap()];
    let other = GatewayAccess { webhook_secrets: other, ..fixture.access.clone() };
    let compact = event.body.replace('\n', "");
    for (access, signature, body, after) in [
        (&fixture.access, &*event.signature, &*compact, 0),
        (&fixture.access, &event.signature, &event.body, 301),
        (&fixture.access, &event.signature, &event.body, -301),
        (&fixture.access, "", &event.body, 0),
        (&without_secret, &event.signature, &event.body, 0),
        (&other, &event.signature, &event.body, 0),
    ] {
        assert_eq!(verify(access, signature, body, after), Err(EventRefused::WrongSignature));
    }
    fixture.assert_no_faults();
}

#[tokio::test]
async fn while_a_secret_is_rolled_either_signature_counts() {
    let fixture = Fixture::new().await;
    fixture.paid().await;
    let (old, new) = (WEBHOOK_SECRET, "whsec_rolledTo2");
    let events = fixture.stand_in.events().signed_also_with(new);
    for secret in [old, new] {
        let webhook_secrets = vec![GatewaySecret::parse(secret).unwrap()];
        let access = GatewayAccess { webhook_secrets, ..fixture.access.clone() };
        for event in events.signed() {
            let body = event.body.as_bytes();
            let verified = fixture.stripe.verify_event(&access, &event.signature, body, fixture.clock.now());
            assert!(verified.is_ok(), "{secret}");
        }
    }
}

#[tokio::test]
async fn signed_body_that_is_no_event_is_refused_and_an_unknown_kind_is_of_no_use() {
    let fixture = Fixture::new().await;
    let verified = |body: &str| {
        let (secret, now) = (&fixture.access.webhook_secrets[0], fixture.clock.now());
        let signature = TimedSignature::sign(secret, body.as_bytes(), now);
        fixture.stripe.verify_event(&fixture.access, &signature, body.as_bytes(), now)
    };
    let long = format!(r#"{{"id":"evt_{}","data":{{"object":{{}}}}}}"#, "1".repeat(252));
    for body in ["", "[]", "{}", r#"{"id":"","data":{"object":{}}}"#, r#"{"id":"evt_1","data":{}}"#, &*long] {
        assert_eq!(verified(body), Err(EventRefused::NotAnEvent), "{body}");
    }
    for object in [
        r#"{"object":"payout","id":"po_1"}"#,
        r#"{"object":"charge","id":"../x"}"#,
        r#"{"object":"refund","charge":null}"#,
        "7",
    ] {
        let event =
            verified(&format!(r#"{{"id":"evt_1","type":"a.b","data":{{"object":{object}}}}}"#)).unwrap();
        assert_eq!((event.id.as_str(), event.subject), ("evt_1", EventSubject::Other), "{object}");
    }
    let intent = r#"{"id":"evt_1","data":{"object":{"object":"payment_intent","latest_charge":"ch_7"}}}"#;
    assert_eq!(verified(intent).unwrap().subject, EventSubject::Charge(ChargeId("ch_7".to_owned())));
}

/// A receiver like the service's: 200 for an event that Stripe signed, otherwise 400.
async fn receiver(fixture: &Fixture) -> (Server, Arc<Mutex<Vec<EventSubject>>>) {
    let taken = Arc::new(Mutex::new(Vec::new()));
    let stripe = stripe_at(&fixture.stand_in.url(), &fixture.clock);
    let (access, clock, seen) = (fixture.access.clone(), fixture.clock.clone(), taken.clone());
    let server = Server::start(move |request| {
        let signature = request.header("stripe-signature");
        let verified = stripe.verify_event(&access, signature, &request.body, clock.now());
        let status = if verified.is_ok() { 200 } else { 400 };
        seen.lock().unwrap().extend(verified.map(|event| event.subject));
        Some(Response::raw(status, Vec::new()))
    });
    (server.await, taken)
}

#[tokio::test]
async fn stand_in_reorders_repeats_delays_and_loses_events() {
    let fixture = Fixture::new().await;
    fixture.paid().await;
    let stand_in: &StandIn = &fixture.stand_in;
    let (server, taken) = receiver(&fixture).await;
    let client = client();

    let mut events = stand_in.events();
    let later = events.delaying_after(1);
    assert_eq!(
        (events.types(), later.types()),
        (vec!["charge.succeeded"], vec!["checkout.session.completed"])
    );
    fixture.clock.advance(Duration::days(2));
    assert_eq!(later.repeated(3).post(&client, &server.url()).await, [200, 200, 200]);
    assert_eq!(taken.lock().unwrap().len(), 3);

    fixture.paid().await;
    let reordered = stand_in.events().reordered();
    assert_eq!(reordered.types(), ["checkout.session.completed", "charge.succeeded"]);
    assert_eq!(reordered.losing("charge.succeeded").types(), ["checkout.session.completed"]);
    assert!(stand_in.events().types().is_empty());
}

#[tokio::test]
async fn events_to_send_are_those_of_the_manual_and_known_to_stripe() {
    let fixture = Fixture::new().await;
    let types = fixture.stripe.event_types();
    let contract = Contract::load();
    let known = contract.object("event")["type"]["enum"].as_array().unwrap();
    for &r#type in types {
        assert!(known.contains(&r#type.into()), "{}", r#type);
    }
    let manual = include_str!("../../../../docs/payments-stripe.md");
    let (_, listed) = manual.split_once("for these events:\n\n").unwrap();
    let (listed, _) = listed.split_once("\n\n").unwrap();
    assert_eq!(listed.lines().map(str::trim).collect::<Vec<_>>(), types);
}
