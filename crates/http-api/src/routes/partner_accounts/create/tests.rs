use crate::test_app::TestApp;

const ACCOUNTS: &str = "/api/v1/partner/accounts";
const ACME: &str = r##"{"company_name": "Acme Pty Ltd", "email": "owner@acme.example.com", "external_id": "c-1",
    "timezone": "australia/sydney", "brand_color": "#1a2b3c", "communications_enabled": false, "phone": ""}"##;

#[actix_web::test]
async fn new_account_comes_with_its_key_and_is_matched_afterwards() {
    let app = TestApp::new().await;
    let created = app.post(ACCOUNTS, ACME).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let account = created.json();
    let key = account["api_key"].as_str().unwrap();
    assert!(
        key.starts_with("ct_live_") && key.ends_with(account["api_key_info"]["last_four"].as_str().unwrap())
    );
    assert_eq!(account["timezone"], "Australia/Sydney");
    assert_eq!(account["brand_color"], "#1a2b3c");
    assert_eq!(account["phone"], serde_json::Value::Null);
    let id = account["id"].as_str().unwrap();
    assert_eq!(created.header("location"), format!("https://books.example.com/api/v1/partner/accounts/{id}"));
    let matched = app.post(ACCOUNTS, ACME).await;
    assert_eq!(matched.status, 200);
    let body = matched.json();
    assert_eq!((&body["matched"], &body["id"]), (&true.into(), &account["id"]));
    assert!(body["secrets_note"].is_string());
    assert!(body.get("api_key").is_none() && body.get("webhook_signing_secret").is_none());
    let read = app.get(&format!("{ACCOUNTS}/{id}")).await;
    read.assert_has_every_field_of("Account");
    assert_eq!(read.json()["email"], "owner@acme.example.com");
}

#[actix_web::test]
async fn taken_email_is_a_conflict_and_an_idempotency_key_is_ignored() {
    let app = TestApp::new().await;
    let body = r#"{"company_name": "Acme", "email": "owner@acme.example.com"}"#;
    assert_eq!(app.post_once("k", ACCOUNTS, body).await.status, 201);
    let taken = app.post_once("k", ACCOUNTS, body).await;
    assert_eq!(taken.outcome(), (409, "CONFLICT".into()));
    assert_eq!(app.post_once("é", ACCOUNTS, "{").await.status, 400);
}

#[actix_web::test]
async fn rotated_key_is_answered_once() {
    let app = TestApp::new().await;
    let created = app.post(ACCOUNTS, ACME).await.json();
    let path = format!("{ACCOUNTS}/{}/api-key", created["id"].as_str().unwrap());
    let rotated = app.post(&path, "").await;
    assert_eq!(rotated.status, 200);
    let fields: Vec<_> = rotated.json().as_object().unwrap().keys().cloned().collect();
    assert_eq!(fields, ["account_id", "api_key"]);
    assert_eq!(rotated.json()["account_id"], created["id"]);
    assert_ne!(rotated.json()["api_key"], created["api_key"]);
    let unknown = format!("{ACCOUNTS}/01a1f6b6-ee63-7000-8000-00000000ffff/api-key");
    assert_eq!(app.post(&unknown, "").await.outcome(), (404, "NOT_FOUND".into()));
    let bad = app.post(&format!("{ACCOUNTS}/x/api-key"), "").await;
    assert_eq!(bad.faulty(), ["id"]);
}
