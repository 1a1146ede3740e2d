//! The exact events about escalations; and the endpoint of an account that a partner creates.

use serde_json::{Value, json};
use webhooks::EventName;

use super::fixture::{Endpoint, WebhookFixture, is_signed, on_both, received};
use crate::test_app::Caller;
use crate::test_app::receiver::{Received, Receiver};

const BOTH: &str = "escalation.created,escalation.resolved";

/// Raises an escalation of the account about the record that `about` names, and returns it.
fn raise(fixture: &WebhookFixture, kind: &str, about: &[&str]) -> Value {
    let which = ["--account", &fixture.account_id, "--type", kind];
    let how = ["--channel", "email", "--statement", "It is \"too much\""];
    let words = [&["escalation", "raise"], &which[..], &how, about].concat();
    fixture.server.command_json(&words)
}

/// The expected body: the fields of all events, followed by `rest`.
fn expected(fixture: &WebhookFixture, request: &Received, kind: &str, id: &str, rest: &str) -> String {
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let (event, date) = (request.event_id(), &body["events"][0]["event_date_utc"]);
    let account = &fixture.account_id;
    let url = format!("https://books.example.com/api/v1/escalations/{id}");
    assert_eq!(date.as_str().map(str::len), Some("2026-11-20T02:09:06.147".len()));
    format!(
        r#"{{"events":[{{"event_id":"{event}","resource_url":"{url}","resource_id":"{id}","event_date_utc":{date},"event_type":"{kind}","event_category":"ESCALATION","account":"{account}",{rest}}}]}}"#
    )
}

#[tokio::test]
async fn escalation_events_have_the_documented_bytes() {
    on_both(&[], async |fixture| {
        let receiver = Receiver::good();
        let endpoint = fixture.add_for(&receiver.url(), BOTH);
        let raised = raise(&fixture, "dispute", &["--invoice", &fixture.invoice]);
        let id = raised["id"].as_str().unwrap();
        let created = received(&receiver, 1).await.remove(0);
        let (invoice, contact) = (&fixture.invoice, raised["contact_id"].clone());
        let facts = format!(
            r#""escalation_type":"dispute","priority":"high","trigger_channel":"email","invoice_id":"{invoice}","contact_id":{contact}"#
        );
        assert_eq!(created.text(), expected(&fixture, &created, "Created", id, &facts));
        assert!(is_signed(&created, &endpoint.secret));

        let which = ["--account", &fixture.account_id, "--outcome", "payment_arranged"];
        let words = [&["escalation", "resolve", id], &which[..]].concat();
        let resolved = fixture.server.command_json(&words);
        let told = received(&receiver, 2).await.remove(1);
        let at = resolved["resolved_at"].as_str().unwrap();
        assert!(at.ends_with('Z'), "{at}");
        let facts = format!(r#"{facts},"resolution_outcome":"payment_arranged","resolved_at":"{at}""#);
        assert_eq!(told.text(), expected(&fixture, &told, "Resolved", id, &facts));
        assert!(!told.text().contains("too much"), "the customer's words are read from the resource");
        let read = fixture.account.get(&format!("/escalations/{id}")).await.expect(200);
        assert_eq!(read.text("resolved_at"), at);
    })
    .await;
}

#[tokio::test]
async fn absent_references_of_an_escalation_are_null() {
    on_both(&[], async |fixture| {
        let receiver = Receiver::good();
        fixture.add_for(&receiver.url(), "escalation.created");
        let raised = raise(&fixture, "human_request", &[]);
        let id = raised["id"].as_str().unwrap();
        let created = received(&receiver, 1).await.remove(0);
        let facts = r#""escalation_type":"human_request","priority":"medium","trigger_channel":"email","invoice_id":null,"contact_id":null"#;
        assert_eq!(created.text(), expected(&fixture, &created, "Created", id, facts));
        // The endpoint is not subscribed to the resolution.
        let which = ["--account", &fixture.account_id, "--outcome", "no_action"];
        fixture.server.command_json(&[&["escalation", "resolve", id], &which[..]].concat());
        assert_eq!(fixture.deliveries().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn an_account_created_with_a_webhook_url_receives_every_event() {
    on_both(&[], async |mut fixture| {
        let receiver = Receiver::good();
        let partner: Caller = fixture.server.partner();
        let fields = json!({"webhook_url": receiver.url()});
        let (account, made) = fixture.server.account_of(&partner, fields).await;
        let invoice = account.post("/invoices", &crate::test_app::invoice_body()).await.expect(201);
        fixture.account_id = made["id"].as_str().unwrap().to_owned();
        fixture.invoice = invoice.text("id").to_owned();
        let secret = made["webhook_signing_secret"].as_str().unwrap();
        let endpoints = fixture.endpoints();
        let events = endpoints[0]["events"].as_array().unwrap();
        assert_eq!(events.len(), EventName::ALL.len(), "{endpoints:?}");
        fixture.pay();
        raise(&fixture, "refused", &[]);
        let all = received(&receiver, 2).await;
        assert!(all.iter().all(|one| is_signed(one, secret)));

        // The partner switches the endpoint off and on again: waiting deliveries are stopped, and the secret
        // stays.
        let path = format!("/partner/accounts/{}", fixture.account_id);
        let patch = async |url: Value| {
            let body = json!({"webhook_url": url}).to_string().into_bytes();
            partner.send(reqwest::Method::PATCH, &path, &[], Some(body)).await.expect(200)
        };
        patch(Value::Null).await;
        fixture.pay();
        patch(json!(receiver.url())).await;
        fixture.pay();
        let third = received(&receiver, 3).await.remove(2);
        assert!(is_signed(&third, secret));
        fixture.all_end(3, "succeeded").await;
        let endpoint = Endpoint {
            id: endpoints[0]["endpoint_id"].as_str().unwrap().to_owned(),
            secret: secret.to_owned(),
        };
        assert_eq!(fixture.change("disable", &endpoint)["enabled"], false);
    })
    .await;
}
