//! Invoices as PDF.

use std::sync::Arc;

use actix_web::http::Method;
use actix_web::test::TestRequest;

use crate::testing::{House, Mood, Undrawable};

const INVOICES: &str = "/api/v1/invoices";
const NOBODY: &str = "/api/v1/invoices/01a1f6b6-ee63-7000-8000-00000000ffff/pdf";

/// Creates a draft, and answers where its PDF is and where it is paid.
async fn raised(house: &House, more: &str) -> (String, String) {
    let body = format!(r#"{{"is_draft": true{more}}}"#);
    let created = house.post(INVOICES, &body).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let invoice = created.json();
    let text = |name: &str| invoice[name].as_str().unwrap().to_owned();
    (format!("{INVOICES}/{}/pdf", text("id")), text("pay_url"))
}

#[actix_web::test]
async fn an_invoice_is_drawn_under_its_letterhead() {
    let house = House::new();
    let (path, pay_url) = raised(&house, "").await;
    let reply = house.get(&path).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(reply.body, format!("%PDF Acme Pty Ltd INV-0001 {pay_url}"));
    for (name, value) in [
        ("content-type", "application/pdf"),
        (
            "content-disposition",
            r#"inline; filename="invoice-INV-0001.pdf""#,
        ),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("x-ratelimit-limit", "120"),
    ] {
        assert_eq!(reply.header(name), value, "{name}");
    }
    let head = house.keyed(TestRequest::default().method(Method::HEAD), &path);
    let head = house.send(head).await;
    assert_eq!(head.status, 200);
    for name in ["content-type", "content-disposition", "cache-control"] {
        assert_eq!(head.header(name), reply.header(name), "{name}");
    }
}

#[actix_web::test]
async fn a_number_of_any_kind_makes_a_safe_name() {
    let house = House::new();
    let (path, _) = raised(&house, r#", "invoice_number": "a\"; b/ü""#).await;
    assert_eq!(
        house.get(&path).await.header("content-disposition"),
        r#"inline; filename="invoice-a---b--.pdf"; filename*=UTF-8''invoice%2Da%2D%2D%2Db%2D%C3%BC.pdf"#
    );
}

#[actix_web::test]
async fn what_is_refused_is_refused_in_json() {
    let house = House::new();
    let (path, _) = raised(&house, "").await;
    let stranger = house.send(TestRequest::get().uri(NOBODY)).await;
    assert_eq!(stranger.outcome(), (401, "UNAUTHENTICATED".into()));
    let nameless = house.get(&format!("{INVOICES}/7/pdf")).await;
    assert_eq!(nameless.outcome(), (400, "VALIDATION_ERROR".into()));
    assert_eq!(nameless.faulty(), ["id"]);
    let unknown = house.get(NOBODY).await;
    assert_eq!(unknown.outcome(), (404, "NOT_FOUND".into()));
    house.kept().account_key.1.scope.id = kernel::Id::from_uuid(uuid::Uuid::from_u128(7));
    let foreign = house.get(&path).await;
    assert_eq!((foreign.status, &foreign.body), (404, &unknown.body));
    for reply in [stranger, nameless, unknown, foreign] {
        assert_eq!(reply.header("content-type"), "application/json");
        assert_eq!(reply.header("content-disposition"), "");
    }
}

#[actix_web::test]
async fn a_failure_of_ours_is_one_in_json_too() {
    let mut house = House::new();
    let (path, _) = raised(&house, "").await;
    for documents in [Undrawable::Failing, Undrawable::Panicking] {
        house.state.invoicing.mailer.documents = Arc::new(documents);
        let reply = house.get(&path).await;
        assert_eq!(reply.outcome(), (500, "INTERNAL_ERROR".into()));
        assert_eq!(reply.header("content-type"), "application/json");
        assert!(!reply.body.contains("font") && !reply.body.contains("pen"));
    }
    for (mood, status, code) in [
        (Mood::Unavailable, 503, "SERVICE_UNAVAILABLE"),
        (Mood::Broken, 500, "INTERNAL_ERROR"),
    ] {
        house.kept().mood = mood;
        let reply = house.get(&path).await;
        assert_eq!(reply.outcome(), (status, code.into()));
    }
}
