//! All kinds of failures of receivers.

use std::time::Duration;

use serde_json::{Value, json};

use super::fixture::{LONG_WAITS, SHORT_TIME, SHORT_WAITS, WebhookFixture, is_signed, on_both, received};
use crate::test_app::receiver::{Behaviour, Handshake, Received, Receiver};
use crate::test_app::until;

/// The waits of [`SHORT_WAITS`].
const WAITS: [Duration; 4] = [
    Duration::from_millis(200),
    Duration::from_millis(300),
    Duration::from_millis(400),
    Duration::from_millis(500),
];

/// Asserts that no attempt comes before its wait is over. The wait begins at the end of the previous attempt,
/// which is not before its response.
fn assert_waited(received: &[Received]) {
    for (pair, wait) in received.windows(2).zip(WAITS) {
        let waited = pair[1].arrived - pair[0].answered.unwrap();
        assert!(waited >= wait, "{waited:?} is less than {wait:?}");
    }
}

#[tokio::test]
async fn a_failed_delivery_is_retried_with_the_same_bytes() {
    on_both(&[SHORT_WAITS], async |fixture| {
        let behaviours =
            [Behaviour::Respond(500, b"not now".to_vec()), Behaviour::Respond(200, b"now".to_vec())];
        let receiver = Receiver::with_behaviours(&behaviours);
        let endpoint = fixture.add(&receiver.url());
        fixture.pay();
        let received = received(&receiver, 2).await;
        assert_eq!(received[0].body, received[1].body);
        assert_eq!(received[0].headers, received[1].headers);
        assert!(is_signed(&received[1], &endpoint.secret));
        assert_waited(&received);
        let delivery = fixture.all_end(1, "succeeded").await.remove(0);
        let came: Vec<_> = attempts(&delivery)
            .iter()
            .map(|one| (one["number"].clone(), one["response_status"].clone(), one["response_body"].clone()))
            .collect();
        assert_eq!(came, [(json!(1), json!(500), json!("not now")), (json!(2), json!(200), json!("now"))]);
        assert_eq!(receiver.received().len(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_delivery_is_abandoned_after_five_failures() {
    on_both(&[SHORT_WAITS], async |fixture| {
        // Cutting at 2,047 bytes would split the 1,024th character.
        let long = "ä".repeat(3_000).into_bytes();
        let receiver = Receiver::with_behaviours(&[Behaviour::Respond(503, long)]);
        fixture.add(&receiver.url());
        fixture.pay();
        let delivery = fixture.all_end(1, "abandoned").await.remove(0);
        assert_eq!(delivery["next_attempt_at"], Value::Null);
        let attempts = attempts(&delivery);
        let numbers: Vec<_> = attempts.iter().map(|one| one["number"].as_u64().unwrap()).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5]);
        for attempt in &attempts {
            assert_eq!((&attempt["response_status"], &attempt["error"]), (&json!(503), &Value::Null));
            assert_eq!(attempt["response_body"].as_str().unwrap(), "ä".repeat(1_024), "2 KiB are kept");
        }
        let all = receiver.received();
        assert_waited(&all);
        assert!(all.iter().all(|one| one.body == all[0].body));
        // Due deliveries are sent before this one, and there is no sixth attempt among them.
        receiver.set_behaviour(Handshake::Trusted, Behaviour::Respond(204, Vec::new()));
        fixture.pay();
        let all = received(&receiver, 6).await;
        assert_ne!(all[5].event_id(), all[0].event_id());
        assert_eq!(all.len(), 6);
    })
    .await;
}

#[tokio::test]
async fn failed_attempts_record_their_cause() {
    on_both(&[LONG_WAITS, SHORT_TIME], async |fixture| {
        let behaviours = [
            (Handshake::Trusted, Behaviour::Silence, "no complete response within", Value::Null),
            (Handshake::Trusted, Behaviour::HalfWay, "the response broke off", json!(200)),
            (Handshake::Silence, Behaviour::Silence, "", Value::Null),
            (Handshake::Stranger, Behaviour::Silence, "issuer is not trusted", Value::Null),
        ];
        let mut receivers = Vec::new();
        for (handshake, behaviour, cause, status) in behaviours {
            let receiver = Receiver::start(handshake, &[behaviour]);
            receivers.push((fixture.add(&receiver.url()), receiver, cause, status));
        }
        fixture.add("https://nobody.invalid/hooks");
        fixture.pay();
        let look = async || {
            let all = fixture.deliveries();
            let ended = all.iter().all(|one| !attempts(one).is_empty());
            (all.len() == 5 && ended).then_some(all)
        };
        let all = until("an attempt at each of five", look).await;
        for (endpoint, receiver, cause, status) in &receivers {
            let one = all.iter().find(|one| one["endpoint_id"] == endpoint.id).unwrap();
            let attempt = &attempts(one)[0];
            let error = attempt["error"].as_str().unwrap();
            assert!(error.contains(cause) && !error.is_empty(), "{cause}: {error}");
            assert_eq!((&attempt["response_status"], &one["state"]), (status, &json!("pending")));
            assert_eq!(receiver.connections(), 1);
        }
        let nowhere = all.iter().find(|one| attempts(one)[0]["error"] == "the host name does not resolve");
        assert!(nowhere.is_some(), "{all:?}");
    })
    .await;
}

#[tokio::test]
async fn an_endless_response_body_is_accepted() {
    on_both(&[LONG_WAITS], async |fixture| {
        let receiver = Receiver::with_behaviours(&[Behaviour::Endless]);
        fixture.add(&receiver.url());
        fixture.pay();
        let attempt = first_attempt(&fixture).await;
        assert_eq!(attempt["response_status"], json!(500));
        assert_eq!(attempt["response_body"].as_str().unwrap(), "x".repeat(2_048));
    })
    .await;
}

#[tokio::test]
async fn a_target_that_became_private_is_not_called() {
    on_both(&[LONG_WAITS], async |mut fixture| {
        let receiver = Receiver::good();
        fixture.add(&receiver.url());
        assert!(fixture.server.terminate().await.success());
        fixture.server.set("COUNTINGHOUSE_ALLOW_PRIVATE_TARGETS", Some("false"));
        fixture.server.start_again();
        fixture.pay();
        let attempt = first_attempt(&fixture).await;
        assert_eq!(attempt["error"], "the target leads to an address that is not public");
        assert_eq!(receiver.connections(), 0);
    })
    .await;
}

fn attempts(delivery: &Value) -> Vec<Value> {
    delivery["attempts"].as_array().unwrap().clone()
}

/// The first attempt of the only delivery, once it is recorded.
async fn first_attempt(fixture: &WebhookFixture) -> Value {
    let look = async || attempts(&fixture.deliveries()[0]).first().cloned();
    until("the record of an attempt", look).await
}
