//! The exact requests that receivers get.

use serde_json::{Value, json};

use super::fixture::{LONG_WAITS, WebhookFixture, is_signed, on_both, received};
use crate::test_app::receiver::{Behaviour, Receiver};
use crate::test_app::{Database, TestApp, number, until};

#[tokio::test]
async fn a_payment_event_has_the_documented_bytes() {
    on_both(&[], async |fixture| {
        let receiver = Receiver::good();
        let endpoint = fixture.add(&receiver.url());
        // The command is a separate process, which is given the base of the API's URLs.
        let mut settings = fixture.server.settings().to_vec();
        settings.retain(|(name, _)| name != "COUNTINGHOUSE_PUBLIC_URL");
        settings.push(("COUNTINGHOUSE_PUBLIC_URL".to_owned(), fixture.server.base.clone()));
        let which = ["--account", &fixture.account_id, "--invoice", &fixture.invoice];
        let words = [&["payment", "record", "--amount", "50", "--method", "cash"], &which[..]].concat();
        let paid = TestApp::command_on(&fixture.server.database, &settings, &words);
        assert!(paid.status.success());

        let request = received(&receiver, 1).await.remove(0);
        assert_eq!(request.line, "POST /hooks?of=us HTTP/1.1");
        let headers: Vec<_> = request.headers.keys().map(String::as_str).collect();
        // Host and length belong to HTTP; `accept: */*` is added by the HTTP client.
        let expected = ["accept", "content-length", "content-type", "host", "service-signature", "user-agent"];
        assert_eq!(headers, expected);
        assert_eq!(request.headers["content-type"], "application/json");
        assert_eq!(request.headers["user-agent"], "Service-Webhooks/1.0");
        assert!(is_signed(&request, &endpoint.secret));
        assert!(!is_signed(&request, &"A".repeat(43)));

        let (text, body) = (request.text(), serde_json::from_slice::<Value>(&request.body).unwrap());
        let told = |field: &str| body["events"][0][field].as_str().unwrap().to_owned();
        let (event, date) = (told("event_id"), told("event_date_utc"));
        let (base, invoice, account) = (&fixture.server.base, &fixture.invoice, &fixture.account_id);
        let expected = format!(
            r#"{{"events":[{{"event_id":"{event}","resource_url":"{base}/api/v1/invoices/{invoice}","resource_id":"{invoice}","event_date_utc":"{date}","event_type":"Payment","event_category":"INVOICE","account":"{account}"}}]}}"#
        );
        assert_eq!(text, expected);
        let digits = |c: char| if c.is_ascii_digit() { '0' } else { c };
        assert_eq!(date.chars().map(digits).collect::<String>(), "0000-00-00T00:00:00.000");
        assert_eq!(event.len(), 36);

        let path = told("resource_url").replace(&format!("{base}/api/v1"), "");
        let read = fixture.account.get(&path).await.expect(200);
        assert_eq!((read.text("status"), &read.body["amount_paid"]), ("PARTIALLY_PAID", &number("50.00")));
    })
    .await;
}

#[tokio::test]
async fn the_delivery_log_has_the_documented_form() {
    on_both(&[LONG_WAITS], async |fixture| {
        let receiver = Receiver::with_behaviours(&[Behaviour::Respond(202, b"taken".to_vec()), Behaviour::Respond(503, b"busy".to_vec())]);
        let endpoint = fixture.add(&receiver.url());
        fixture.pay();
        let first = received(&receiver, 1).await.remove(0);
        fixture.all_end(1, "succeeded").await;
        fixture.pay();
        let second = received(&receiver, 2).await.remove(1);
        let look = async || Some(fixture.deliveries()).filter(|all| !all[0]["attempts"].as_array().unwrap().is_empty());
        let shown = until("the record of an attempt", look).await;
        let at = |place: usize| shown[place]["attempts"][0]["at"].as_str().unwrap();
        assert!(at(0).ends_with('Z') && at(1).ends_with('Z'));
        let next = shown[0]["next_attempt_at"].as_str().unwrap();
        assert!(next > at(0), "{next}");
        let expected = json!([
            {
                "delivery_id": shown[0]["delivery_id"], "event_id": second.event_id(), "event": "invoice.payment_recorded",
                "endpoint_id": endpoint.id, "state": "pending", "next_attempt_at": next,
                "attempts": [{"number": 1, "at": at(0), "response_status": 503, "response_body": "busy", "error": null}],
            },
            {
                "delivery_id": shown[1]["delivery_id"], "event_id": first.event_id(), "event": "invoice.payment_recorded",
                "endpoint_id": endpoint.id, "state": "succeeded", "next_attempt_at": null,
                "attempts": [{"number": 1, "at": at(1), "response_status": 202, "response_body": "taken", "error": null}],
            },
        ]);
        assert_eq!(json!(shown), expected);
        let list = ["webhook", "deliveries", "--account", &fixture.account_id];
        let of_endpoint = fixture.server.command_json(&[&list[..], &["--endpoint", &endpoint.id]].concat());
        assert_eq!(of_endpoint, expected);
        let elsewhere = ["--endpoint", "019aa1b2-0000-7000-8000-0123456789ab"];
        assert_eq!(fixture.server.command_json(&[&list[..], &elsewhere].concat()), json!([]));
        let one = fixture.server.command_json(&[&list[..], &["--limit", "1"]].concat());
        assert_eq!(one, json!([expected[0]]));
        let after = ["--after", shown[0]["delivery_id"].as_str().unwrap()];
        assert_eq!(fixture.server.command_json(&[&list[..], &after].concat()), json!([expected[1]]));
        let text = fixture.server.command(&list).stdout;
        let text = String::from_utf8_lossy(&text);
        assert!(text.contains("pending  invoice.payment_recorded") && text.contains("503"), "{text}");
    })
    .await;
}

#[tokio::test]
async fn an_endpoint_receives_subscribed_events_of_its_account_only() {
    on_both(&[], async |fixture| {
        let (told, other_event, other_account) = (Receiver::good(), Receiver::good(), Receiver::good());
        let endpoint = fixture.add(&told.url());
        fixture.add_for(&other_event.url(), "escalation.created,escalation.resolved");
        let (_, made) = fixture.server.account_of(&fixture.server.partner(), json!({})).await;
        let stranger = ["--account", made["id"].as_str().unwrap(), "--url", &other_account.url()];
        let words = [&["webhook", "add", "--events", "invoice.payment_recorded"], &stranger[..]].concat();
        fixture.server.command_json(&words);
        fixture.pay();
        fixture.pay();
        let received = received(&told, 2).await;
        assert_ne!(received[0].event_id(), received[1].event_id());
        let deliveries = fixture.all_end(2, "succeeded").await;
        assert!(deliveries.iter().all(|one| one["endpoint_id"] == endpoint.id));
        assert_eq!((other_event.connections(), other_account.connections()), (0, 0));
    })
    .await;
}

#[tokio::test]
async fn several_endpoints_get_the_same_bytes_each_under_its_own_secret() {
    on_both(&[], async |fixture| {
        let receivers = [Receiver::good(), Receiver::good(), Receiver::good()];
        let endpoints: Vec<_> = receivers.iter().map(|one| fixture.add(&one.url())).collect();
        fixture.pay();
        let mut bodies = Vec::new();
        for (receiver, endpoint) in receivers.iter().zip(&endpoints) {
            let request = received(receiver, 1).await.remove(0);
            assert!(is_signed(&request, &endpoint.secret));
            bodies.push(request.body);
        }
        assert!(bodies.iter().all(|body| *body == bodies[0]));
        fixture.all_end(3, "succeeded").await;
        assert!(receivers.iter().all(|one| one.received().len() == 1));
    })
    .await;
}

#[tokio::test]
async fn events_recorded_without_a_running_service_are_delivered_at_the_next_start() {
    for database in Database::both() {
        let mut fixture = WebhookFixture::new(database, &[]).await;
        let receiver = Receiver::good();
        fixture.add(&receiver.url());
        assert!(fixture.server.terminate().await.success());
        fixture.pay();
        assert_eq!(receiver.connections(), 0, "commands deliver nothing");
        fixture.server.start_again();
        received(&receiver, 1).await;
        fixture.all_end(1, "succeeded").await;
    }
}
