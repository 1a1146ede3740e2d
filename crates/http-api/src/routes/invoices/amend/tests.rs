use actix_web::http::Method;
use actix_web::test::TestRequest;
use serde_json::json;

use crate::test_app::TestApp;

const INVOICES: &str = "/api/v1/invoices";
const UNKNOWN: &str = "/api/v1/invoices/01a1f6b6-ee63-7000-8000-00000000ffff";

fn invoice(more: &str) -> String {
    format!(
        r#"{{"contact": {{"name": "Ada", "email": "ada@example.com"}},
            "line_items": [{{"description": "Tea", "unit_amount": 10.05}}]{more}}}"#
    )
}

#[actix_web::test]
async fn amended_invoice_is_answered_in_full() {
    let app = TestApp::new().await;
    let path = app.create(INVOICES, &invoice(r#", "notes": "a""#)).await;
    let mut expected = app.get(&path).await.json();
    app.clock.advance(time::Duration::SECOND);
    let body = r#"{"notes": null, "staff": "Grace", "unknown": 1}"#;
    let amended = app.put(&path, body).await;
    expected["notes"] = json!(null);
    expected["staff"] = json!("Grace");
    expected["updated_at"] = json!("2026-11-20T02:09:07.147Z");
    assert_eq!((amended.status, amended.json()), (200, expected));
    assert_eq!(app.get(&path).await.body, amended.body);
}

#[actix_web::test]
async fn body_without_a_known_field_is_a_validation_error_without_fields() {
    let app = TestApp::new().await;
    let path = app.create(INVOICES, &invoice("")).await;
    for body in ["{}", r#"{"unknown": 1, "id": null}"#, "", "{", "[]"] {
        let response = app.put(&path, body).await;
        assert_eq!(response.outcome(), (400, "VALIDATION_ERROR".into()));
        assert!(response.faulty().is_empty(), "{}", response.body);
    }
}

#[actix_web::test]
async fn errors_of_the_use_case_have_their_codes() {
    let app = TestApp::new().await;
    let path = app.create(INVOICES, &invoice("")).await;
    app.create(INVOICES, &invoice(r#", "invoice_number": "A-1""#)).await;
    let before = app.get(&path).await.body;
    app.clock.advance(time::Duration::SECOND);
    let unknown_contact = r#"{"contact": {"id": "01a1f6b6-ee63-7000-8000-00000000ffff"}}"#;
    for (path, body, status, code) in [
        (path.as_str(), r#"{"notes": 7}"#, 400, "VALIDATION_ERROR"),
        (UNKNOWN, r#"{"notes": "a"}"#, 404, "NOT_FOUND"),
        (&path, unknown_contact, 404, "NOT_FOUND"),
        (&path, r#"{"is_draft": true}"#, 409, "CONFLICT"),
        (&path, r#"{"invoice_number": "A-1"}"#, 409, "DUPLICATE_INVOICE_NUMBER"),
    ] {
        let response = app.put(path, body).await;
        assert_eq!(response.outcome(), (status, code.into()), "{body}");
    }
    assert_eq!(app.get(&path).await.body, before);
    app.post(&format!("{path}/cancel"), "").await;
    for body in [r#"{"notes": "a"}"#, "{}", r#"{"unknown": 1}"#] {
        let locked = app.put(&path, body).await;
        assert_eq!(locked.outcome(), (409, "INVOICE_LOCKED".into()), "{body}");
    }
}

#[actix_web::test]
async fn every_fault_is_named_at_once_with_its_path() {
    let app = TestApp::new().await;
    let path = app.create(INVOICES, &invoice("")).await;
    let body = r#"{"currency": null, "due_date": "x", "line_items": [{"unit_amount": "1"}],
        "send_invoice": "yes", "contact": null}"#;
    let before = app.get(&path).await.body;
    app.clock.advance(time::Duration::SECOND);
    let response = app.put(&path, body).await;
    assert_eq!(response.outcome(), (400, "VALIDATION_ERROR".into()));
    let mut faulty = response.faulty();
    faulty.sort_unstable();
    let expected = [
        "contact", "currency", "due_date", "line_items.0.description", "line_items.0.unit_amount",
        "send_invoice",
    ];
    assert_eq!(faulty, expected);
    assert_eq!(app.get(&path).await.body, before);
}

#[actix_web::test]
async fn faults_of_the_contact_that_a_look_up_shows_are_named_with_the_others() {
    let app = TestApp::new().await;
    app.create("/api/v1/contacts", r#"{"external_id": "ph", "name": "Ada", "phone": "1"}"#).await;
    let issued = app.create(INVOICES, &invoice("")).await;
    let draft = r#"{"is_draft": true, "contact": {"external_id": "ph"}, "line_items":
        [{"description": "Tea", "unit_amount": 1}]}"#;
    let draft = app.create(INVOICES, draft).await;
    for (path, body, faulty) in [
        (
            &issued,
            r#"{"contact": {"email": "zz@new.com"}, "currency": "XXX"}"#,
            &["currency", "contact.name"][..],
        ),
        (
            &issued,
            r#"{"contact": {"external_id": "ph"}, "send_invoice": true, "due_date": "x"}"#,
            &["due_date", "contact.email"],
        ),
        (
            &issued,
            r#"{"contact": {"external_id": "zz", "phone": "1"}, "send_invoice": true}"#,
            &["contact.name", "contact.email"],
        ),
        (&issued, r#"{"send_invoice": true, "due_date": "x"}"#, &["due_date"]),
        // What is to be a draft is not to be sent, whether it may be one or not.
        (
            &issued,
            r#"{"contact": {"external_id": "ph"}, "is_draft": true, "send_invoice": true, "due_date": "x"}"#,
            &["due_date"],
        ),
        // The contact of a draft is looked up when it is issued.
        (
            &draft,
            r#"{"is_draft": false, "send_invoice": true, "due_date": "x"}"#,
            &["due_date", "contact.email"],
        ),
        (&draft, r#"{"is_draft": false, "due_date": "x"}"#, &["due_date"]),
        // What stays a draft is not sent.
        (
            &draft,
            r#"{"contact": {"external_id": "zz", "phone": "1"}, "send_invoice": true}"#,
            &["contact.name"],
        ),
    ] {
        assert_eq!(app.put(path, body).await.faulty(), faulty, "{body}");
    }
}

#[actix_web::test]
async fn checks_are_made_in_order() {
    let mut app = TestApp::new().await;
    let faulty = |app: &TestApp, path: &str| {
        let request = app.json(Method::PUT, path, "{");
        request.insert_header(("Content-Type", "text/plain"))
    };
    let bad_id = format!("{INVOICES}/7");
    let unauthenticated = TestRequest::put().uri(&bad_id).set_payload("{");
    assert_eq!(app.send(unauthenticated).await.status, 401);
    let typed = app.send(faulty(&app, &bad_id)).await;
    assert_eq!(typed.outcome(), (415, "UNSUPPORTED_MEDIA_TYPE".into()));
    let large = app.put(&bad_id, &"x".repeat(1_048_577)).await;
    assert_eq!(large.outcome(), (413, "PAYLOAD_TOO_LARGE".into()));
    assert_eq!(app.put(&bad_id, "{").await.faulty(), ["id"]);
    assert_eq!(app.put(UNKNOWN, "{").await.status, 400);
    assert_eq!(app.put(UNKNOWN, r#"{"notes": 7}"#).await.status, 404);
    app.state.quotas.writes = 1;
    let refused = app.send(faulty(&app, &bad_id)).await;
    assert_eq!(refused.outcome(), (429, "RATE_LIMITED".into()));
}
