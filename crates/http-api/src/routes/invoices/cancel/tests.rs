//! Cancelling invoices.

use access::Quotas;
use actix_web::test::TestRequest;
use serde_json::{Value, json};
use time::Duration;

use crate::testing::{House, Mood, Reply};

const INVOICES: &str = "/api/v1/invoices";
const NOBODY: &str = "/api/v1/invoices/01a1f6b6-ee63-7000-8000-00000000ffff/cancel";

/// Creates an invoice of 20.00, and answers where it is.
async fn raised(house: &House, more: &str) -> String {
    let body = format!(
        r#"{{"contact": {{"name": "Ada", "email": "ada@example.com"}},
            "line_items": [{{"description": "Tea", "unit_amount": 20}}]{more}}}"#
    );
    let created = house.post(INVOICES, &body).await;
    assert_eq!(created.status, 201, "{}", created.body);
    format!("{INVOICES}/{}", created.json()["id"].as_str().unwrap())
}

async fn cancel(house: &House, path: &str) -> Reply {
    let request = house.keyed(TestRequest::post(), &format!("{path}/cancel"));
    house.send(request).await
}

#[actix_web::test]
async fn nothing_is_due_any_more_and_payments_stay() {
    let house = House::new();
    let path = raised(&house, "").await;
    house.pay(500);
    house.clock.advance(Duration::seconds(1));
    let mut expected = house.get(&path).await.json();
    let cancelled = cancel(&house, &path).await;
    expected["status"] = json!("CANCELLED");
    expected["is_editable"] = json!(false);
    expected["amount_due"] = serde_json::from_str("0.00").unwrap();
    expected["updated_at"] = json!("2026-11-20T02:09:07.147Z");
    assert_eq!((cancelled.status, cancelled.json()), (200, expected));
    assert!(cancelled.body.contains(r#""amount_paid":5.00"#));
    assert_eq!(house.get(&path).await.body, cancelled.body);
}

#[actix_web::test]
async fn every_invoice_but_a_paid_one_can_be_cancelled_once() {
    let house = House::new();
    for more in [
        r#", "is_draft": true"#,
        r#", "invoice_date": "2027-01-01""#,
        r#", "invoice_date": "2026-01-01", "due_date": "2026-01-02""#,
        "",
    ] {
        let path = raised(&house, more).await;
        let first = cancel(&house, &path).await;
        assert_eq!(first.json()["status"], "CANCELLED", "{more}");
        house.clock.advance(Duration::seconds(1));
        let second = cancel(&house, &path).await;
        assert_eq!(second.outcome(), (400, "INVOICE_NOT_CANCELLABLE".into()));
        assert_eq!(second.json()["error"].get("field_errors"), None::<&Value>);
        assert_eq!(house.get(&path).await.body, first.body);
    }
    let path = raised(&house, "").await;
    house.pay(2_000);
    let before = house.get(&path).await.body;
    let paid = cancel(&house, &path).await;
    assert_eq!(paid.outcome(), (400, "INVOICE_NOT_CANCELLABLE".into()));
    assert_eq!(house.get(&path).await.body, before);
}

#[actix_web::test]
async fn whatever_body_comes_is_ignored_up_to_the_limit() {
    let house = House::new();
    for (kind, body) in [
        ("application/json", "{"),
        ("text/plain", "please"),
        ("application/json", r#"{"status": "PAID"}"#),
    ] {
        let path = raised(&house, "").await;
        let request = house.writing(&format!("{path}/cancel"), body);
        let request = request.insert_header(("Content-Type", kind));
        let reply = house.send(request).await;
        assert_eq!(reply.json()["status"], "CANCELLED", "{body}");
    }
    let path = raised(&house, "").await;
    let large = "x".repeat(1_048_577);
    let refused = house.post(&format!("{path}/cancel"), &large).await;
    assert_eq!(refused.outcome(), (413, "PAYLOAD_TOO_LARGE".into()));
    assert_eq!(house.get(&path).await.json()["status"], "UNPAID");
}

#[actix_web::test]
async fn an_idempotency_key_is_ignored_even_a_wrong_one() {
    let house = House::new();
    let path = format!("{}/cancel", raised(&house, "").await);
    let keyless = house.post_under("", &path, "").await;
    assert_eq!(keyless.status, 200, "{}", keyless.body);
    for _ in 0..2 {
        let again = house.post_under("k", &path, "").await;
        assert_eq!(again.outcome(), (400, "INVOICE_NOT_CANCELLABLE".into()));
        assert_eq!(again.header("idempotency-replayed"), "");
    }
    assert!(house.kept().answers.is_empty());
}

#[actix_web::test]
async fn what_is_not_there_is_not_found() {
    let house = House::new();
    let path = raised(&house, "").await;
    let unknown = house.post(NOBODY, "").await;
    assert_eq!(unknown.outcome(), (404, "NOT_FOUND".into()));
    let own = house.kept().account_key.1.scope.id;
    house.kept().account_key.1.scope.id = kernel::Id::from_uuid(uuid::Uuid::from_u128(7));
    let foreign = cancel(&house, &path).await;
    assert_eq!((foreign.status, &foreign.body), (404, &unknown.body));
    house.kept().account_key.1.scope.id = own;
    assert_eq!(house.get(&path).await.json()["status"], "UNPAID");
}

#[actix_web::test]
async fn a_failing_store_is_a_failure_of_ours() {
    let house = House::new();
    let path = raised(&house, "").await;
    for (mood, status, code) in [
        (Mood::Unavailable, 503, "SERVICE_UNAVAILABLE"),
        (Mood::Broken, 500, "INTERNAL_ERROR"),
    ] {
        house.kept().mood = mood;
        let reply = cancel(&house, &path).await;
        assert_eq!(reply.outcome(), (status, code.into()));
    }
}

#[actix_web::test]
async fn checks_come_one_after_the_other() {
    let mut house = House::new();
    let bad_id = format!("{INVOICES}/7/cancel");
    let large = "x".repeat(1_048_577);
    let stranger = TestRequest::post().uri(&bad_id);
    let stranger = house.send(stranger.set_payload(large.clone())).await;
    assert_eq!(stranger.outcome(), (401, "UNAUTHENTICATED".into()));
    let reply = house.post(&bad_id, &large).await;
    assert_eq!(reply.outcome(), (413, "PAYLOAD_TOO_LARGE".into()));
    let reply = house.post(&bad_id, "").await;
    assert_eq!(reply.outcome(), (400, "VALIDATION_ERROR".into()));
    assert_eq!(reply.faulty(), ["id"]);
    assert_eq!(reply.header("x-ratelimit-limit"), "30");
    house.state.quotas = Quotas {
        writes: 1,
        ..house.state.quotas
    };
    let refused = house.post(&bad_id, &large).await;
    assert_eq!(refused.outcome(), (429, "RATE_LIMITED".into()));
}
