//! `webhook test`: one sample event for whoever builds a receiver.

use serde_json::Value;

use super::ground::{Ground, is_signed};
use crate::harness::Database;
use crate::harness::receiver::{Meet, Play, Receiver};

/// Sends a sample and reads what is printed of it, and the exit status.
fn sample(ground: &Ground, more: &[&str]) -> (Value, Option<i32>) {
    let output = ground
        .server
        .command(&[&["webhook", "test", "--json"], more].concat());
    let printed = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (printed, output.status.code())
}

#[tokio::test]
async fn a_sample_is_signed_and_what_came_back_is_said() {
    let ground = Ground::new(Database::sqlite(), &[]).await;
    let receiver = Receiver::playing(&[Play::Answer(202, b"thanks".to_vec())]);
    let (shown, status) = sample(&ground, &["--url", &receiver.url()]);
    assert_eq!(status, Some(0));
    let secret = shown["signing_secret"].as_str().unwrap();
    let request = receiver.received().remove(0);
    assert!(is_signed(&request, secret));
    assert_eq!(request.text(), shown["body"]);
    assert_eq!(request.headers["service-signature"], shown["signature"]);
    assert_eq!(
        (&shown["response_status"], &shown["response_body"]),
        (&202.into(), &"thanks".into())
    );
    assert_eq!(
        (&shown["delivered"], &shown["error"]),
        (&true.into(), &Value::Null)
    );
    let own = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE";
    let (_, status) = sample(&ground, &["--url", &receiver.url(), "--secret", own]);
    assert_eq!(status, Some(0));
    assert!(is_signed(&receiver.received()[1], own));
    assert_eq!(
        ground.deliveries(),
        Vec::<Value>::new(),
        "nothing is kept of it"
    );
}

#[tokio::test]
async fn a_receiver_that_does_not_take_it_is_told_of_with_a_status() {
    let ground = Ground::new(Database::sqlite(), &[]).await;
    let receiver = Receiver::playing(&[Play::Answer(401, b"who are you".to_vec())]);
    let (shown, status) = sample(&ground, &["--url", &receiver.url()]);
    assert_eq!((status, &shown["response_status"]), (Some(1), &401.into()));
    assert_eq!(shown["delivered"], false);
    let stranger = Receiver::start(Meet::Stranger, &[Play::Silence]);
    let (shown, status) = sample(&ground, &["--url", &stranger.url()]);
    assert_eq!((status, &shown["response_status"]), (Some(1), &Value::Null));
    assert!(
        shown["error"]
            .as_str()
            .unwrap()
            .contains("issuer is not trusted")
    );
    for (url, secret, code) in [
        (
            "http://127.0.0.1/",
            "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE",
            2,
        ),
        ("https://127.0.0.1/", "short", 2),
    ] {
        let (_, status) = sample(&ground, &["--url", url, "--secret", secret]);
        assert_eq!(status, Some(code));
    }
}

#[tokio::test]
async fn private_addresses_are_not_called_for_a_sample_either() {
    let settings = [("COUNTINGHOUSE_ALLOW_PRIVATE_TARGETS", "false")];
    let ground = Ground::new(Database::sqlite(), &settings).await;
    let receiver = Receiver::good();
    let output = ground
        .server
        .command(&["webhook", "test", "--url", &receiver.url()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("127.0.0.1 is not public"));
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn a_secret_that_is_wrong_is_not_repeated() {
    let ground = Ground::new(Database::sqlite(), &[]).await;
    let almost = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEx";
    for command in ["test", "torture"] {
        let words = [
            "webhook",
            command,
            "--url",
            "https://1.1.1.1/",
            "--secret",
            almost,
        ];
        let output = ground.server.command(&words);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(
            errors.contains("--secret must be the 43 characters") && !errors.contains(almost),
            "{errors}"
        );
    }
}

#[tokio::test]
async fn what_a_receiver_answers_gives_no_orders_to_the_terminal() {
    let ground = Ground::new(Database::sqlite(), &[]).await;
    let hostile = "\u{1b}]0;owned\u{7}\u{9b}2J\rall is well";
    let receiver = Receiver::playing(&[Play::Answer(200, hostile.into())]);
    let endpoint = ground.add(&receiver.url());
    ground.pay();
    ground.all_end(1, "succeeded").await;
    let test = ["webhook", "test", "--url", &receiver.url()];
    let list = ["webhook", "deliveries", "--account", &ground.account_id];
    for words in [
        &test[..],
        &list[..],
        &["webhook", "list", "--account", &ground.account_id],
    ] {
        for json in [&[][..], &["--json"]] {
            let output = ground.server.command(&[words, json].concat());
            let printed = String::from_utf8(output.stdout).unwrap();
            let orders = printed.chars().filter(|c| c.is_control() && *c != '\n');
            assert_eq!(orders.count(), 0, "{words:?} {printed:?}");
        }
    }
    let kept = ground.deliveries().remove(0);
    assert_eq!(kept["endpoint_id"], endpoint.id);
    assert_eq!(kept["attempts"][0]["response_body"], hostile);
}
