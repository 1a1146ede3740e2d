//! `webhook test`: one sample event for developers of receivers.

use serde_json::Value;

use super::fixture::{WebhookFixture, is_signed};
use crate::test_app::Database;
use crate::test_app::receiver::{Behaviour, Handshake, Receiver};

/// Sends a sample; returns the printed result and the exit status.
fn sample(fixture: &WebhookFixture, more: &[&str]) -> (Value, Option<i32>) {
    let output = fixture.server.command(&[&["webhook", "test", "--json"], more].concat());
    let printed = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (printed, output.status.code())
}

#[tokio::test]
async fn the_sample_event_is_signed_and_its_response_printed() {
    let fixture = WebhookFixture::new(Database::sqlite(), &[]).await;
    let receiver = Receiver::with_behaviours(&[Behaviour::Respond(202, b"thanks".to_vec())]);
    let (shown, status) = sample(&fixture, &["--url", &receiver.url()]);
    assert_eq!(status, Some(0));
    let secret = shown["signing_secret"].as_str().unwrap();
    let request = receiver.received().remove(0);
    assert!(is_signed(&request, secret));
    assert_eq!(request.text(), shown["body"]);
    assert_eq!(request.headers["service-signature"], shown["signature"]);
    assert_eq!((&shown["response_status"], &shown["response_body"]), (&202.into(), &"thanks".into()));
    assert_eq!((&shown["delivered"], &shown["error"]), (&true.into(), &Value::Null));
    let own = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE";
    let (_, status) = sample(&fixture, &["--url", &receiver.url(), "--secret", own]);
    assert_eq!(status, Some(0));
    assert!(is_signed(&receiver.received()[1], own));
    assert_eq!(fixture.deliveries(), Vec::<Value>::new(), "nothing is kept of it");
}

#[tokio::test]
async fn a_refused_sample_exits_with_a_status() {
    let fixture = WebhookFixture::new(Database::sqlite(), &[]).await;
    let receiver = Receiver::with_behaviours(&[Behaviour::Respond(401, b"who are you".to_vec())]);
    let (shown, status) = sample(&fixture, &["--url", &receiver.url()]);
    assert_eq!((status, &shown["response_status"]), (Some(1), &401.into()));
    assert_eq!(shown["delivered"], false);
    let stranger = Receiver::start(Handshake::Stranger, &[Behaviour::Silence]);
    let (shown, status) = sample(&fixture, &["--url", &stranger.url()]);
    assert_eq!((status, &shown["response_status"]), (Some(1), &Value::Null));
    assert!(shown["error"].as_str().unwrap().contains("issuer is not trusted"));
    for (url, secret, code) in [
        ("http://127.0.0.1/", "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE", 2),
        ("https://127.0.0.1/", "short", 2),
    ] {
        let (_, status) = sample(&fixture, &["--url", url, "--secret", secret]);
        assert_eq!(status, Some(code));
    }
}

#[tokio::test]
async fn the_sample_event_is_not_sent_to_a_private_address() {
    let settings = [("COUNTINGHOUSE_ALLOW_PRIVATE_TARGETS", "false")];
    let fixture = WebhookFixture::new(Database::sqlite(), &settings).await;
    let receiver = Receiver::good();
    let output = fixture.server.command(&["webhook", "test", "--url", &receiver.url()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("127.0.0.1 is not public"));
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn a_malformed_secret_is_not_printed() {
    let fixture = WebhookFixture::new(Database::sqlite(), &[]).await;
    let almost = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEx";
    for command in ["test", "torture"] {
        let words = ["webhook", command, "--url", "https://1.1.1.1/", "--secret", almost];
        let output = fixture.server.command(&words);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(
            errors.contains("--secret must be the 43 characters") && !errors.contains(almost),
            "{errors}"
        );
    }
}

#[tokio::test]
async fn control_characters_of_a_response_are_not_printed() {
    let fixture = WebhookFixture::new(Database::sqlite(), &[]).await;
    let hostile = "\u{1b}]0;owned\u{7}\u{9b}2J\rall is well";
    let receiver = Receiver::with_behaviours(&[Behaviour::Respond(200, hostile.into())]);
    let endpoint = fixture.add(&receiver.url());
    fixture.pay();
    fixture.all_end(1, "succeeded").await;
    let test = ["webhook", "test", "--url", &receiver.url()];
    let list = ["webhook", "deliveries", "--account", &fixture.account_id];
    for words in [&test[..], &list[..], &["webhook", "list", "--account", &fixture.account_id]] {
        for json in [&[][..], &["--json"]] {
            let output = fixture.server.command(&[words, json].concat());
            let printed = String::from_utf8(output.stdout).unwrap();
            let orders = printed.chars().filter(|c| c.is_control() && *c != '\n');
            assert_eq!(orders.count(), 0, "{words:?} {printed:?}");
        }
    }
    let kept = fixture.deliveries().remove(0);
    assert_eq!(kept["endpoint_id"], endpoint.id);
    assert_eq!(kept["attempts"][0]["response_body"], hostile);
}
