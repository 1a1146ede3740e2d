//! Replaying finished deliveries.

use serde_json::{Value, json};

use super::fixture::{LONG_WAITS, SHORT_WAITS, WebhookFixture, is_signed, on_both, received};
use crate::test_app::receiver::{Behaviour, Handshake, Receiver};
use crate::test_app::until;

fn replay(fixture: &WebhookFixture, which: &[&str]) -> Vec<Value> {
    let words = [&["webhook", "replay"], which].concat();
    fixture.server.command_json(&words).as_array().unwrap().clone()
}

fn refused(fixture: &WebhookFixture, which: &[&str], status: i32, said: &str) {
    let output = fixture.server.command(&[&["webhook", "replay"], which].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{which:?} {errors}");
    assert!(errors.contains(said), "{which:?} {errors}");
}

#[tokio::test]
async fn a_replay_is_a_new_delivery_of_the_same_event() {
    on_both(&[SHORT_WAITS], async |fixture| {
        let receiver = Receiver::with_behaviours(&[Behaviour::Respond(500, Vec::new())]);
        let endpoint = fixture.add(&receiver.url());
        fixture.pay();
        let old = fixture.all_end(1, "abandoned").await.remove(0);
        receiver.set_behaviour(Handshake::Trusted, Behaviour::Respond(204, Vec::new()));
        let id = old["delivery_id"].as_str().unwrap();
        let made = replay(&fixture, &[id]).remove(0);
        let next = made["next_attempt_at"].as_str().unwrap();
        assert_ne!(made["delivery_id"], old["delivery_id"]);
        let expected = json!({
            "delivery_id": made["delivery_id"], "event_id": old["event_id"], "event": "invoice.payment_recorded",
            "endpoint_id": endpoint.id, "state": "pending", "attempts": [], "next_attempt_at": next,
        });
        assert_eq!(made, expected);
        let received = received(&receiver, 6).await;
        assert!(received.iter().all(|one| one.body == received[0].body && is_signed(one, &endpoint.secret)));
        let look = async || {
            let all = fixture.deliveries();
            let new = all.iter().find(|one| one["delivery_id"] == made["delivery_id"])?;
            (new["state"] == "succeeded").then(|| (new["attempts"].as_array().unwrap().len(), all.len()))
        };
        let ended = until("the replay", look).await;
        assert_eq!(ended, (1, 2), "attempts of its own");
        let still = fixture.deliveries().into_iter().find(|one| one["delivery_id"] == old["delivery_id"]);
        assert_eq!(still, Some(old), "the old one stays as it ended");
    })
    .await;
}

#[tokio::test]
async fn abandoned_deliveries_are_replayed_once() {
    on_both(&[SHORT_WAITS], async |fixture| {
        let receiver = Receiver::with_behaviours(&[Behaviour::Respond(500, Vec::new())]);
        fixture.add(&receiver.url());
        for _ in 0..3 {
            fixture.pay();
        }
        let old = fixture.all_end(3, "abandoned").await;
        receiver.set_behaviour(Handshake::Trusted, Behaviour::Respond(204, Vec::new()));
        let since = |at| replay(&fixture, &["--account", &fixture.account_id, "--abandoned-since", at]);
        assert_eq!(since("2199-01-01T00:00:00Z"), Vec::<Value>::new());
        let made = since("2020-01-01T00:00:00+02:00");
        let ids = |all: &[Value]| {
            let mut ids: Vec<_> = all.iter().map(|one| one["event_id"].to_string()).collect();
            ids.sort();
            ids
        };
        assert_eq!(ids(&made), ids(&old));
        assert_eq!(
            since("2020-01-01T00:00:00Z"),
            Vec::<Value>::new(),
            "they are on their way, or came through"
        );
        received(&receiver, 18).await;
        let look = async || {
            let all = fixture.deliveries();
            let succeeded = all.iter().filter(|one| one["state"] == "succeeded").count();
            (succeeded == 3).then_some(all.len())
        };
        assert_eq!(until("three replays", look).await, 6);
        assert_eq!(since("2020-01-01T00:00:00Z"), Vec::<Value>::new());
        assert_eq!(receiver.received().len(), 18);
    })
    .await;
}

#[tokio::test]
async fn a_delivery_that_has_not_ended_is_not_replayed() {
    on_both(&[LONG_WAITS], async |fixture| {
        let behaviours = [Behaviour::Respond(204, Vec::new()), Behaviour::Respond(500, Vec::new())];
        let receiver = Receiver::with_behaviours(&behaviours);
        let endpoint = fixture.add(&receiver.url());
        fixture.pay();
        let done = fixture.all_end(1, "succeeded").await.remove(0);
        fixture.pay();
        received(&receiver, 2).await;
        let pending = fixture.deliveries().remove(0);
        assert_eq!(pending["state"], "pending");
        let id = |delivery: &Value| delivery["delivery_id"].as_str().unwrap().to_owned();
        refused(&fixture, &[&id(&pending)], 1, "still pending");
        let unknown = "019aa1b2-0000-7000-8000-0123456789ab";
        refused(&fixture, &[unknown], 1, "no finished delivery with this id");
        refused(
            &fixture,
            &["--account", unknown, "--abandoned-since", "2026-01-01T00:00:00Z"],
            1,
            "no such account",
        );
        refused(&fixture, &[], 2, "");
        refused(&fixture, &["--account", &fixture.account_id], 2, "--abandoned-since");
        refused(&fixture, &["--abandoned-since", "2026-01-01T00:00:00Z"], 2, "--account");
        refused(
            &fixture,
            &["--account", &fixture.account_id, "--abandoned-since", "yesterday"],
            2,
            "2026-11-20T02:09:06Z",
        );
        fixture.change("disable", &endpoint);
        refused(&fixture, &[&id(&done)], 1, "disabled or deleted");
        assert_eq!(fixture.deliveries().len(), 2);
        assert_eq!(receiver.received().len(), 2);
    })
    .await;
}
