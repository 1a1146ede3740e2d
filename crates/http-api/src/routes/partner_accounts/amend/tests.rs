use serde_json::Value;

use crate::test_app::TestApp;

const ACCOUNTS: &str = "/api/v1/partner/accounts";
const UNKNOWN: &str = "/api/v1/partner/accounts/01a1f6b6-ee63-7000-8000-00000000ffff";
const HOOK: &str = r#"{"webhook_url": "https://hooks.example.com/x"}"#;

async fn account(app: &TestApp, email: &str, external_id: &str) -> String {
    let body = format!(
        r#"{{"company_name": "Acme", "email": "{email}", "external_id": "{external_id}", "phone": "1"}}"#
    );
    app.create(ACCOUNTS, &body).await
}

#[actix_web::test]
async fn amended_account_is_answered_in_full() {
    let app = TestApp::new().await;
    let path = account(&app, "owner@acme.example.com", "c-1").await;
    let mut expected = app.get(&path).await.json();
    app.clock.advance(time::Duration::HOUR);
    let body = r#"{"company_name": "Acme Two", "phone": null, "unknown": 1}"#;
    let amended = app.patch(&path, body).await;
    expected["company_name"] = "Acme Two".into();
    expected["phone"] = Value::Null;
    expected["updated_at"] = "2026-11-20T03:09:06.147Z".into();
    assert_eq!((amended.status, amended.json()), (200, expected));
}

#[actix_web::test]
async fn signing_secret_is_answered_when_the_endpoint_is_made_and_never_again() {
    let app = TestApp::new().await;
    let path = account(&app, "owner@acme.example.com", "c-1").await;
    let made = app.patch(&path, HOOK).await.json();
    assert_eq!(made["webhook_signing_secret"].as_str().unwrap().len(), 43);
    for body in [r#"{"webhook_url": null}"#, HOOK] {
        let changed = app.patch(&path, body).await.json();
        assert!(changed.get("webhook_signing_secret").is_none());
    }
}

#[actix_web::test]
async fn errors_of_the_use_case_have_their_codes() {
    let app = TestApp::new().await;
    account(&app, "one@acme.example.com", "c-1").await;
    let path = account(&app, "two@acme.example.com", "c-2").await;
    for (path, body, status, code) in [
        (path.as_str(), "{}", 400, "VALIDATION_ERROR"),
        (&path, r#"{"email": "x@example.com"}"#, 400, "VALIDATION_ERROR"),
        (UNKNOWN, r#"{"phone": "1"}"#, 404, "NOT_FOUND"),
        (UNKNOWN, HOOK, 404, "NOT_FOUND"),
        (&path, r#"{"external_id": "c-1"}"#, 409, "CONFLICT"),
    ] {
        let response = app.patch(path, body).await;
        assert_eq!(response.outcome(), (status, code.into()), "{body}");
    }
    assert_eq!(app.delete(UNKNOWN).await.status, 404);
    let not_https = app.patch(&path, r#"{"logo_url": "http://example.com/logo.png", "phone": 1}"#).await;
    assert_eq!(not_https.faulty(), ["phone", "logo_url"]);
    let bad_id = app.patch(&format!("{ACCOUNTS}/x"), "{}").await;
    assert_eq!(bad_id.faulty(), ["id"]);
}

#[actix_web::test]
async fn account_is_deactivated_repeatedly_and_activated_again() {
    let app = TestApp::new().await;
    let path = account(&app, "owner@acme.example.com", "c-1").await;
    for _ in 0..2 {
        let off = app.delete(&path).await;
        assert_eq!((off.status, &off.json()["status"]), (200, &"inactive".into()));
    }
    let on = app.patch(&path, r#"{"status": "active"}"#).await;
    assert_eq!(on.json()["status"], "active");
}
