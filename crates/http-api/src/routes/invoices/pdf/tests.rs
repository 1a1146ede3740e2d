use std::sync::Arc;

use actix_web::http::Method;
use actix_web::test::TestRequest;
use async_trait::async_trait;
use invoices::{DocumentError, InvoiceDocument, InvoiceDocuments, ReceiptDocument};

use crate::test_app::TestApp;

const INVOICES: &str = "/api/v1/invoices";
const UNKNOWN: &str = "/api/v1/invoices/01a1f6b6-ee63-7000-8000-00000000ffff/pdf";

/// Fails with a cause that no response may show.
struct Failing;

#[async_trait]
impl InvoiceDocuments for Failing {
    async fn render(&self, _: InvoiceDocument) -> Result<Vec<u8>, DocumentError> {
        Err(DocumentError("the font is at /srv/fonts".into()))
    }

    async fn receipt(&self, _: ReceiptDocument) -> Result<Vec<u8>, DocumentError> {
        Err(DocumentError("the font is at /srv/fonts".into()))
    }
}

#[actix_web::test]
async fn invoice_is_rendered_with_its_letterhead() {
    let app = TestApp::new().await;
    let invoice = app.create(INVOICES, r#"{"is_draft": true}"#).await;
    let pay_url = app.get(&invoice).await.json()["pay_url"].clone();
    let path = format!("{invoice}/pdf");
    let response = app.get(&path).await;
    assert_eq!(response.status, 200, "{}", response.body);
    let pay_url = pay_url.as_str().unwrap();
    assert_eq!(response.body, format!("%PDF Acme Pty Ltd INV-0001 {pay_url}"));
    for (name, value) in [
        ("content-type", "application/pdf"),
        ("content-disposition", r#"inline; filename="invoice-INV-0001.pdf""#),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("x-ratelimit-limit", "120"),
    ] {
        assert_eq!(response.header(name), value, "{name}");
    }
    let head = app.send(app.request(Method::HEAD, &path)).await;
    assert_eq!(head.status, 200);
    for name in ["content-type", "content-disposition", "cache-control"] {
        assert_eq!(head.header(name), response.header(name), "{name}");
    }
}

#[actix_web::test]
async fn errors_are_json() {
    let mut app = TestApp::new().await;
    let invoice = app.create(INVOICES, r#"{"is_draft": true}"#).await;
    let unauthenticated = app.send(TestRequest::get().uri(UNKNOWN)).await;
    assert_eq!(unauthenticated.outcome(), (401, "UNAUTHENTICATED".into()));
    let bad_id = app.get(&format!("{INVOICES}/7/pdf")).await;
    assert_eq!(bad_id.faulty(), ["id"]);
    let unknown = app.get(UNKNOWN).await;
    assert_eq!(unknown.outcome(), (404, "NOT_FOUND".into()));
    let mut responses = vec![unauthenticated, bad_id, unknown];
    app.state.pdfs.renderer.documents = Arc::new(Failing);
    let failed = app.get(&format!("{invoice}/pdf")).await;
    assert_eq!(failed.outcome(), (500, "INTERNAL_ERROR".into()));
    assert!(!failed.body.contains("font"), "{}", failed.body);
    responses.push(failed);
    for response in responses {
        assert_eq!(response.header("content-type"), "application/json");
        assert_eq!(response.header("content-disposition"), "");
    }
}
