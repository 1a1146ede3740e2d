//! Receivers that fail, in every way that they do.

use std::time::Duration;

use serde_json::{Value, json};

use super::ground::{
    Ground, LONG_WAITS, SHORT_TIME, SHORT_WAITS, is_signed, on_both, received, until,
};
use crate::harness::receiver::{Meet, Play, Received, Receiver};
use crate::watching::{figures_when, value};

/// The waits of [`SHORT_WAITS`].
const WAITS: [Duration; 4] = [
    Duration::from_millis(200),
    Duration::from_millis(300),
    Duration::from_millis(400),
    Duration::from_millis(500),
];

/// No attempt comes before its wait is over. The wait begins at the end of the attempt before, which is no earlier than its answer.
fn assert_waited(received: &[Received]) {
    for (pair, wait) in received.windows(2).zip(WAITS) {
        let waited = pair[1].arrived - pair[0].answered.unwrap();
        assert!(waited >= wait, "{waited:?} is less than {wait:?}");
    }
}

#[tokio::test]
async fn what_fails_is_tried_again_with_the_same_bytes() {
    on_both(&[SHORT_WAITS], async |ground| {
        let plays = [
            Play::Answer(500, b"not now".to_vec()),
            Play::Answer(200, b"now".to_vec()),
        ];
        let receiver = Receiver::playing(&plays);
        let endpoint = ground.add(&receiver.url());
        ground.pay();
        let received = received(&receiver, 2).await;
        assert_eq!(received[0].body, received[1].body);
        assert_eq!(received[0].headers, received[1].headers);
        assert!(is_signed(&received[1], &endpoint.secret));
        assert_waited(&received);
        let delivery = ground.all_end(1, "succeeded").await.remove(0);
        let came: Vec<_> = attempts(&delivery)
            .iter()
            .map(|one| {
                (
                    one["number"].clone(),
                    one["response_status"].clone(),
                    one["response_body"].clone(),
                )
            })
            .collect();
        assert_eq!(
            came,
            [
                (json!(1), json!(500), json!("not now")),
                (json!(2), json!(200), json!("now"))
            ]
        );
        assert_eq!(receiver.received().len(), 2);
    })
    .await;
}

#[tokio::test]
async fn after_five_failures_it_is_abandoned() {
    on_both(&[SHORT_WAITS], async |ground| {
        // Cut in the middle of its 1,024th character, were it cut at 2,047 bytes.
        let long = "ä".repeat(3_000).into_bytes();
        let receiver = Receiver::playing(&[Play::Answer(503, long)]);
        ground.add(&receiver.url());
        ground.pay();
        let delivery = ground.all_end(1, "abandoned").await.remove(0);
        assert_eq!(delivery["next_attempt_at"], Value::Null);
        let attempts = attempts(&delivery);
        let numbers: Vec<_> = attempts
            .iter()
            .map(|one| one["number"].as_u64().unwrap())
            .collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5]);
        for attempt in &attempts {
            assert_eq!(
                (&attempt["response_status"], &attempt["error"]),
                (&json!(503), &Value::Null)
            );
            assert_eq!(
                attempt["response_body"].as_str().unwrap(),
                "ä".repeat(1_024),
                "2 KiB are kept"
            );
        }
        let all = receiver.received();
        assert_waited(&all);
        assert!(all.iter().all(|one| one.body == all[0].body));
        // Whatever is due is sent before this one is, and a sixth attempt is none of it.
        receiver.play(Meet::Trusted, Play::Answer(204, Vec::new()));
        ground.pay();
        let all = received(&receiver, 6).await;
        assert_ne!(all[5].event_id(), all[0].event_id());
        assert_eq!(all.len(), 6);
    })
    .await;
}

#[tokio::test]
async fn no_redirect_is_followed() {
    on_both(&[LONG_WAITS], async |ground| {
        let elsewhere = Receiver::good();
        let receiver = Receiver::playing(&[Play::Redirect(elsewhere.url())]);
        ground.add(&receiver.url());
        ground.pay();
        let attempt = first_attempt(&ground).await;
        assert_eq!(
            (&attempt["response_status"], &attempt["error"]),
            (&json!(302), &Value::Null)
        );
        assert_eq!(elsewhere.connections(), 0);
    })
    .await;
}

#[tokio::test]
async fn receivers_that_do_not_answer_properly_are_told_apart() {
    on_both(&[LONG_WAITS, SHORT_TIME], async |ground| {
        let plays = [
            (Meet::Trusted, Play::Silence, "no complete answer within"),
            (Meet::Trusted, Play::HalfWay, "the answer broke off"),
            (Meet::Silence, Play::Silence, ""),
            (Meet::Stranger, Play::Silence, "issuer is not trusted"),
        ];
        let mut receivers = Vec::new();
        for (meet, play, said) in plays {
            let receiver = Receiver::start(meet, &[play]);
            receivers.push((ground.add(&receiver.url()), receiver, said));
        }
        ground.add("https://nobody.invalid/hooks");
        ground.pay();
        let look = || {
            let all = ground.deliveries();
            let ended = all.iter().all(|one| !attempts(one).is_empty());
            (all.len() == 5 && ended).then_some(all)
        };
        let all = until("an attempt at each of five", look).await;
        for (endpoint, receiver, said) in &receivers {
            let one = all
                .iter()
                .find(|one| one["endpoint_id"] == endpoint.id)
                .unwrap();
            let attempt = &attempts(one)[0];
            let error = attempt["error"].as_str().unwrap();
            assert!(error.contains(said) && !error.is_empty(), "{said}: {error}");
            assert_eq!(
                (&attempt["response_status"], &one["state"]),
                (&Value::Null, &json!("pending"))
            );
            assert_eq!(receiver.connections(), 1);
        }
        let nowhere = all
            .iter()
            .find(|one| attempts(one)[0]["error"] == "the host name does not resolve");
        assert!(nowhere.is_some(), "{all:?}");
    })
    .await;
}

#[tokio::test]
async fn a_body_without_end_is_an_answer_like_any_other() {
    on_both(&[LONG_WAITS], async |ground| {
        let receiver = Receiver::playing(&[Play::Endless]);
        ground.add(&receiver.url());
        ground.pay();
        let attempt = first_attempt(&ground).await;
        assert_eq!(attempt["response_status"], json!(500));
        assert_eq!(
            attempt["response_body"].as_str().unwrap(),
            "x".repeat(2_048)
        );
    })
    .await;
}

#[tokio::test]
async fn a_receiver_that_hangs_delays_nobody_else() {
    on_both(&[LONG_WAITS], async |ground| {
        let (silent, good) = (Receiver::playing(&[Play::Silence]), Receiver::good());
        let waiting = ground.add(&silent.url());
        ground.add(&good.url());
        for _ in 0..4 {
            ground.pay();
        }
        // The silent one has 15 seconds for each; the others are there while it still has them.
        received(&good, 4).await;
        let all = ground.deliveries();
        let pending = all.iter().filter(|one| one["endpoint_id"] == waiting.id);
        assert!(
            pending.clone().count() == 4 && pending.clone().all(|one| one["state"] == "pending")
        );
    })
    .await;
}

#[tokio::test]
async fn a_target_that_must_not_be_called_any_more_is_not_called() {
    on_both(&[LONG_WAITS], async |mut ground| {
        let receiver = Receiver::good();
        ground.add(&receiver.url());
        assert!(ground.server.terminate().success());
        ground
            .server
            .set("COUNTINGHOUSE_ALLOW_PRIVATE_TARGETS", Some("false"));
        ground.server.start_again();
        ground.pay();
        let attempt = first_attempt(&ground).await;
        assert_eq!(
            attempt["error"],
            "the target leads to an address that is not public"
        );
        assert_eq!(receiver.connections(), 0);
    })
    .await;
}

#[tokio::test]
async fn what_waits_is_counted_among_the_figures() {
    on_both(&[LONG_WAITS], async |ground| {
        let receiver = Receiver::playing(&[Play::Answer(500, Vec::new())]);
        ground.add(&receiver.url());
        ground.pay();
        let queue = [("queue", "webhooks")];
        let waiting = |all: &str| value(all, "countinghouse_queue_waiting_items", &queue);
        let nobody = ground.server.anonymous();
        figures_when(&nobody, |all| waiting(all) == Some(1.0)).await;
    })
    .await;
}

fn attempts(delivery: &Value) -> Vec<Value> {
    delivery["attempts"].as_array().unwrap().clone()
}

/// The first attempt of the only delivery, once it is recorded.
async fn first_attempt(ground: &Ground) -> Value {
    let look = || attempts(&ground.deliveries()[0]).first().cloned();
    until("the record of an attempt", look).await
}
