use actix_web::http::Method;
use actix_web::test::TestRequest;

use crate::test_app::TestApp;

const INVOICES: &str = "/api/v1/invoices";
const UNKNOWN: &str = "/api/v1/invoices/01a1f6b6-ee63-7000-8000-00000000ffff/cancel";

async fn draft(app: &TestApp) -> String {
    app.create(INVOICES, r#"{"is_draft": true}"#).await
}

#[actix_web::test]
async fn cancelled_invoice_is_answered_in_full_and_cancelled_once() {
    let app = TestApp::new().await;
    let path = draft(&app).await;
    let cancelled = app.post(&format!("{path}/cancel"), "").await;
    assert_eq!(cancelled.json()["status"], "CANCELLED");
    assert_eq!(app.get(&path).await.body, cancelled.body);
    app.clock.advance(time::Duration::SECOND);
    let again = app.post(&format!("{path}/cancel"), "").await;
    assert_eq!(again.outcome(), (400, "INVOICE_NOT_CANCELLABLE".into()));
    assert_eq!(app.get(&path).await.body, cancelled.body);
    assert!(again.faulty().is_empty());
    let unknown = app.post(UNKNOWN, "").await;
    assert_eq!(unknown.outcome(), (404, "NOT_FOUND".into()));
}

#[actix_web::test]
async fn cancelled_invoice_keeps_its_total_and_nothing_is_due() {
    let app = TestApp::new().await;
    let invoice = r#"{"contact": {"name": "Ada", "phone": "1"},
        "line_items": [{"description": "Tea", "unit_amount": 110}]}"#;
    let path = app.create(INVOICES, invoice).await;
    // The header is of creations alone.
    let cancelled = app.post_once("", &format!("{path}/cancel"), "").await;
    assert_eq!(cancelled.status, 200, "{}", cancelled.body);
    for part in [r#""total":110.00,"#, r#""amount_due":0.00,"#, r#""is_editable":false,"#] {
        assert!(cancelled.body.contains(part), "{}", cancelled.body);
    }
}

#[actix_web::test]
async fn body_of_any_kind_is_ignored() {
    let app = TestApp::new().await;
    for (kind, body) in
        [("application/json", "{"), ("text/plain", "please"), ("application/json", r#"{"status": "PAID"}"#)]
    {
        let path = format!("{}/cancel", draft(&app).await);
        let request = app.json(Method::POST, &path, body);
        let request = request.insert_header(("Content-Type", kind));
        let response = app.send(request).await;
        assert_eq!(response.json()["status"], "CANCELLED", "{body}");
    }
}

#[actix_web::test]
async fn checks_are_made_in_order_and_a_refused_request_changes_nothing() {
    let mut app = TestApp::new().await;
    let path = draft(&app).await;
    let bad_id = format!("{INVOICES}/7/cancel");
    let large = "x".repeat(1_048_577);
    let unauthenticated = TestRequest::post().uri(&bad_id).set_payload(large.clone());
    let unauthenticated = app.send(unauthenticated).await;
    assert_eq!(unauthenticated.outcome(), (401, "UNAUTHENTICATED".into()));
    for path in [&bad_id, &format!("{path}/cancel")] {
        let refused = app.post(path, &large).await;
        assert_eq!(refused.outcome(), (413, "PAYLOAD_TOO_LARGE".into()));
    }
    let response = app.post(&bad_id, "").await;
    assert_eq!(response.outcome(), (400, "VALIDATION_ERROR".into()));
    assert_eq!(response.faulty(), ["id"]);
    app.state.quotas.writes = 1;
    let refused = app.post(&bad_id, &large).await;
    assert_eq!(refused.outcome(), (429, "RATE_LIMITED".into()));
    assert_eq!(app.get(&path).await.json()["status"], "DRAFT");
}
