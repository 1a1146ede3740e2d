//! The process is killed at each step of a delivery, and started again: the attempt is lost, but never the
//! delivery.
//!
//! A lease outlives its process: it lasts as long as the longest attempt. So these tests wait for over 15
//! seconds.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::fixture::{SHORT_TIME, is_signed, on_both, received};
use crate::test_app::receiver::{Behaviour, Handshake, Receiver};
use crate::test_app::until;

/// The waits between attempts in these tests, as many as in the contract.
const WAITS: (&str, &str) = ("COUNTINGHOUSE_WEBHOOK_RETRY_WAITS", "300ms,300ms,300ms,300ms");
const WAIT: Duration = Duration::from_millis(300);

#[tokio::test]
async fn a_crash_before_sending_costs_one_attempt() {
    on_both(&[WAITS, SHORT_TIME], async |mut fixture| {
        // The TLS hello gets no response, so that the delivery is claimed and nothing of it is sent.
        let receiver = Receiver::start(Handshake::Silence, &[Behaviour::Silence]);
        let endpoint = fixture.add(&receiver.url());
        fixture.pay();
        until("a connection", async || (receiver.connections() > 0).then_some(())).await;
        fixture.server.kill();
        let killed = Instant::now();
        assert_eq!(numbers(&fixture.deliveries()[0]), Vec::<u64>::new(), "it may still be under way");
        receiver.set_behaviour(Handshake::Trusted, Behaviour::Respond(204, Vec::new()));
        fixture.server.start_again();
        let request = received(&receiver, 1).await.remove(0);
        assert!(request.arrived - killed >= WAIT && is_signed(&request, &endpoint.secret));
        let delivery = fixture.all_end(1, "succeeded").await.remove(0);
        assert_lost(&delivery["attempts"][0]);
        assert_eq!(numbers(&delivery), [1, 2]);
        assert_eq!(delivery["attempts"][1]["response_status"], 204);
        assert_eq!(receiver.received().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_crash_during_an_attempt_costs_one_attempt() {
    on_both(&[WAITS, SHORT_TIME], async |mut fixture| {
        let receiver = Receiver::with_behaviours(&[Behaviour::Hold, Behaviour::Respond(500, Vec::new())]);
        fixture.add(&receiver.url());
        fixture.pay();
        let first = received(&receiver, 1).await.remove(0);
        fixture.server.kill();
        let killed = Instant::now();
        fixture.server.start_again();
        // The lost attempt counts: four are left, and all of them fail.
        let delivery = fixture.all_end(1, "abandoned").await.remove(0);
        let all = receiver.received();
        assert_eq!(all.len(), 5, "at most five attempts, the lost one among them");
        assert!(all.iter().all(|one| one.body == first.body), "the same event");
        assert!(all[1].arrived - killed >= WAIT);
        for pair in all[1..].windows(2) {
            assert!(pair[1].arrived - pair[0].answered.unwrap() >= WAIT);
        }
        assert_lost(&delivery["attempts"][0]);
        assert_eq!(numbers(&delivery), [1, 2, 3, 4, 5]);
    })
    .await;
}

#[tokio::test]
async fn a_crash_after_recording_sends_nothing_again() {
    // Long enough for the record of the first attempt to be seen before the second.
    let waits = ("COUNTINGHOUSE_WEBHOOK_RETRY_WAITS", "5s");
    on_both(&[waits], async |mut fixture| {
        let behaviours = [Behaviour::Respond(500, Vec::new()), Behaviour::Respond(204, Vec::new())];
        let receiver = Receiver::with_behaviours(&behaviours);
        fixture.add(&receiver.url());
        fixture.pay();
        let recorded = async || (numbers(&fixture.deliveries()[0]) == [1]).then_some(());
        until("the record of the first attempt", recorded).await;
        fixture.server.kill_and_start_again();
        let all = received(&receiver, 2).await;
        assert!(all[1].arrived - all[0].answered.unwrap() >= Duration::from_secs(5));
        fixture.all_end(1, "succeeded").await;
        fixture.server.kill_and_start_again();
        // A successful delivery is not sent again: the next request is for the next event.
        fixture.pay();
        let all = received(&receiver, 3).await;
        assert_ne!(all[2].event_id(), all[0].event_id());
        fixture.all_end(2, "succeeded").await;
        assert_eq!(receiver.received().len(), 3);
    })
    .await;
}

#[tokio::test]
async fn a_crash_in_the_last_attempt_abandons_the_delivery() {
    let one_attempt_more = ("COUNTINGHOUSE_WEBHOOK_RETRY_WAITS", "300ms");
    on_both(&[one_attempt_more, SHORT_TIME], async |mut fixture| {
        let receiver = Receiver::with_behaviours(&[
            Behaviour::Respond(500, Vec::new()),
            Behaviour::Hold,
            Behaviour::Respond(204, Vec::new()),
        ]);
        fixture.add(&receiver.url());
        fixture.pay();
        received(&receiver, 2).await;
        fixture.server.kill_and_start_again();
        let delivery = fixture.all_end(1, "abandoned").await.remove(0);
        assert_eq!(numbers(&delivery), [1, 2]);
        assert_lost(&delivery["attempts"][1]);
        assert_eq!(delivery["next_attempt_at"], Value::Null);
        assert_eq!(receiver.received().len(), 2, "no third attempt");
        // The operator can replay the delivery.
        let id = delivery["delivery_id"].as_str().unwrap();
        fixture.server.command_json(&["webhook", "replay", id]);
        let all = received(&receiver, 3).await;
        assert_eq!(all[2].body, all[0].body);
    })
    .await;
}

#[tokio::test]
async fn a_crash_with_many_attempts_under_way_loses_no_delivery() {
    on_both(&[WAITS, SHORT_TIME], async |mut fixture| {
        let receivers: Vec<_> = (0..5).map(|_| Receiver::with_behaviours(&[Behaviour::Hold])).collect();
        for receiver in &receivers {
            fixture.add(&receiver.url());
        }
        for _ in 0..4 {
            fixture.pay();
        }
        received(&receivers[0], 1).await;
        fixture.server.kill();
        for receiver in &receivers {
            receiver.set_behaviour(Handshake::Trusted, Behaviour::Respond(204, Vec::new()));
        }
        fixture.server.start_again();
        let all = fixture.all_end(20, "succeeded").await;
        let events: BTreeSet<_> = all.iter().map(|one| one["event_id"].to_string()).collect();
        assert_eq!(events.len(), 4);
        for receiver in &receivers {
            let seen: BTreeSet<_> = receiver.received().iter().map(|one| one.event_id()).collect();
            assert_eq!(seen.len(), 4, "each event came to each endpoint");
        }
    })
    .await;
}

/// Asserts that the attempt is recorded as lost with its process.
fn assert_lost(attempt: &Value) {
    let error = "the process ended before it could record what came of it";
    let expected = json!({"number": attempt["number"], "at": null, "response_status": null, "response_body": null, "error": error});
    assert_eq!(attempt, &expected);
}

fn numbers(delivery: &Value) -> Vec<u64> {
    let attempts = delivery["attempts"].as_array().unwrap();
    attempts.iter().map(|one| one["number"].as_u64().unwrap()).collect()
}
