//! Tests of the checks of a request, and of their order.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use access::{AccountKeyRecord, ApiKey, Authenticator, Credentials, KeyHash, KeySpace, PartnerKeyRecord};
use actix_web::http::Method;
use actix_web::test::TestRequest;
use async_trait::async_trait;
use kernel::{StoreResult, SystemRandom};
use time::Duration;

use crate::test_app::{TestApp, TestResponse};

const INVOICES: &str = "/api/v1/invoices";
const CONTACTS: &str = "/api/v1/contacts";
const ACCOUNTS: &str = "/api/v1/partner/accounts";

async fn with_authorization(app: &TestApp, path: &str, value: &str) -> TestResponse {
    let request = TestRequest::get().uri(path);
    app.send(request.insert_header(("Authorization", value))).await
}

/// Credentials that count look-ups and know no key.
#[derive(Default)]
struct NoCredentials(AtomicUsize);

#[async_trait]
impl Credentials for NoCredentials {
    async fn account_key(&self, _: &KeyHash) -> StoreResult<Option<AccountKeyRecord>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(None)
    }

    async fn partner_key(&self, _: &KeyHash) -> StoreResult<Option<PartnerKeyRecord>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(None)
    }
}

fn some_key(space: KeySpace) -> String {
    let key = ApiKey::generate(space, &SystemRandom::default());
    key.reveal().to_owned()
}

#[actix_web::test]
async fn request_without_a_bearer_token_is_unauthenticated() {
    let app = TestApp::new().await;
    let bare = app.send(TestRequest::get().uri(INVOICES)).await;
    insta::assert_snapshot!(bare.body);
    let key = app.account_key.clone();
    let mut responses = vec![bare];
    for value in ["", "Bearer", "Bearer ", "Basic YTpi", &key, &format!("Token {key}")] {
        responses.push(with_authorization(&app, INVOICES, value).await);
    }
    let twice = TestRequest::get().uri(INVOICES);
    let twice = twice.append_header(("Authorization", format!("Bearer {key}")));
    let twice = twice.append_header(("Authorization", format!("Bearer {key}")));
    responses.push(app.send(twice).await);
    for response in responses {
        assert_eq!(response.outcome(), (401, "UNAUTHENTICATED".into()));
        assert_eq!(response.header("www-authenticate"), r#"Bearer realm="countinghouse""#);
        assert_eq!(response.header("x-ratelimit-limit"), "");
    }
}

#[actix_web::test]
async fn malformed_key_is_refused_before_any_look_up() {
    let mut app = TestApp::new().await;
    let credentials = Arc::new(NoCredentials::default());
    app.state.authenticator = Authenticator::new(credentials.clone());
    let (account, partner) = (app.account_key.clone(), app.partner_key.clone());
    for (path, token) in [
        (INVOICES, partner.as_str()),
        (ACCOUNTS, account.as_str()),
        (INVOICES, "ct_live_00000000000000000000000000000000"),
        (INVOICES, "anything"),
        (INVOICES, &format!("{account} {account}")),
        (INVOICES, &account.to_lowercase()),
    ] {
        let response = with_authorization(&app, path, &format!("Bearer {token}")).await;
        assert_eq!(response.outcome(), (401, "INVALID_API_KEY".into()), "{token}");
        assert_eq!(
            response.header("www-authenticate"),
            r#"Bearer realm="countinghouse", error="invalid_token""#
        );
    }
    assert_eq!(credentials.0.load(Ordering::Relaxed), 0);
    let unknown = format!("Bearer {}", some_key(KeySpace::Account));
    let response = with_authorization(&app, INVOICES, &unknown).await;
    assert_eq!(response.outcome(), (401, "INVALID_API_KEY".into()));
    assert_eq!(credentials.0.load(Ordering::Relaxed), 1);
}

#[actix_web::test]
async fn bearer_scheme_has_no_case() {
    let app = TestApp::new().await;
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let value = format!("{scheme} {}", app.account_key);
        assert_eq!(with_authorization(&app, INVOICES, &value).await.status, 200);
    }
}

#[actix_web::test]
async fn authenticated_answer_has_the_quota_headers() {
    let app = TestApp::new().await;
    let headers = |response: &TestResponse| {
        ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"]
            .map(|name| response.header(name).to_owned())
    };
    // The clock stands at 02:09:06.147; the window ends a minute later, rounded up to 02:10:07.
    let reset = "1795140607".to_owned();
    let read = app.get(INVOICES).await;
    assert_eq!(headers(&read), ["120".into(), "119".into(), reset.clone()]);
    let faulty = app.post(INVOICES, "[]").await;
    assert_eq!(headers(&faulty), ["30".into(), "29".into(), reset.clone()]);
    let missing = app.get("/api/v1/invoices/1").await;
    assert_eq!(headers(&missing), ["120".into(), "118".into(), reset]);
    assert_eq!(missing.header("retry-after"), "");
}

#[actix_web::test]
async fn request_past_the_quota_is_refused_and_not_counted() {
    let app = TestApp::new().await;
    for _ in 0..30 {
        assert_eq!(app.post(INVOICES, "").await.status, 400);
    }
    app.clock.advance(Duration::milliseconds(59_100));
    for _ in 0..3 {
        let refused = app.post_once("k", INVOICES, "{").await;
        assert_eq!(refused.outcome(), (429, "RATE_LIMITED".into()));
        assert_eq!(refused.header("retry-after"), "1");
        assert_eq!(refused.header("x-ratelimit-limit"), "30");
        assert_eq!(refused.header("x-ratelimit-remaining"), "0");
        assert_eq!(refused.header("x-ratelimit-reset"), "1795140607");
    }
    assert_eq!(app.get(INVOICES).await.status, 200);
    app.clock.advance(Duration::milliseconds(900));
    assert_eq!(app.post(INVOICES, "").await.status, 400);
}

#[actix_web::test]
async fn checks_are_made_in_order() {
    let mut app = TestApp::new().await;
    app.state.quotas.writes = 1;
    let send = |key: &str, idempotency: &str, kind: &str, body: &str| {
        let request = TestRequest::post().uri(INVOICES);
        let request = request.insert_header(("Authorization", format!("Bearer {key}")));
        let request = request.insert_header(("Idempotency-Key", idempotency));
        let request = request.insert_header(("Content-Type", kind));
        app.send(request.set_payload(body.to_owned()))
    };
    let key = app.account_key.clone();
    let bad_key = send("ct_live_x", "é", "text/plain", "{").await;
    assert_eq!(bad_key.outcome(), (401, "INVALID_API_KEY".into()));
    let bad_header = send(&key, "é", "text/plain", "{").await;
    assert_eq!(bad_header.faulty(), ["Idempotency-Key"]);
    let no_quota = send(&key, "é", "text/plain", "{").await;
    assert_eq!(no_quota.outcome(), (429, "RATE_LIMITED".into()));
    app.clock.advance(Duration::MINUTE);
    let bad_kind = send(&key, "k", "text/plain", "{").await;
    assert_eq!(bad_kind.outcome(), (415, "UNSUPPORTED_MEDIA_TYPE".into()));
    app.clock.advance(Duration::MINUTE);
    let bad_body = send(&key, "k-2", "application/json", "{").await;
    assert_eq!(bad_body.outcome(), (400, "VALIDATION_ERROR".into()));
    assert!(bad_body.faulty().is_empty());
}

#[actix_web::test]
async fn refusal_of_a_body_that_is_not_looked_at_is_kept_for_its_key() {
    let app = TestApp::new().await;
    let send = |key: &str, kind: &str, body: &str| {
        let request = app.request(Method::POST, "/api/v1/contacts").insert_header(("Idempotency-Key", key));
        app.send(request.insert_header(("Content-Type", kind)).set_payload(body.to_owned()))
    };
    let ada = r#"{"name":"Ada","phone":"1"}"#;
    let refused = send("k", "text/plain", ada).await;
    assert_eq!(refused.outcome(), (415, "UNSUPPORTED_MEDIA_TYPE".into()));
    let again = send("k", "application/json", ada).await;
    assert_eq!((again.status, &again.body), (415, &refused.body));
    assert_eq!(again.header("idempotency-replayed"), "true");
    let large = " ".repeat(1_048_577);
    assert_eq!(send("l", "application/json", &large).await.outcome(), (413, "PAYLOAD_TOO_LARGE".into()));
    assert_eq!(send("l", "application/json", &large).await.header("idempotency-replayed"), "true");
    let other = format!("{{{}", &large[1..]);
    for (key, kind, body) in [
        ("l", "application/json", ada),
        ("l", "application/json", "too large"),
        ("l", "application/json", &other),
        ("l", "application/json", &large[1..]),
        ("k", "text/plain", "{}"),
    ] {
        assert_eq!(send(key, kind, body).await.outcome(), (409, "IDEMPOTENCY_KEY_REUSED".into()));
    }
    let document = serde_json::to_value(crate::openapi()).unwrap();
    let responses = &document["paths"]["/contacts"]["post"]["responses"];
    for status in ["413", "415"] {
        assert!(responses[status]["headers"]["Idempotency-Replayed"].is_object(), "{status}");
    }
}

#[actix_web::test]
async fn path_id_is_checked_after_the_key() {
    let app = TestApp::new().await;
    for path in ["/api/v1/invoices/7", "/api/v1/contacts/%00", "/api/v1/partner/accounts/x"] {
        let unauthenticated = app.send(TestRequest::get().uri(path)).await;
        assert_eq!(unauthenticated.status, 401, "{path}");
        let response = app.get(path).await;
        assert_eq!(response.outcome(), (400, "VALIDATION_ERROR".into()), "{path}");
        assert_eq!(response.faulty(), ["id"]);
    }
}

#[actix_web::test]
async fn body_above_one_mebibyte_is_refused() {
    let app = TestApp::new().await;
    let body = |length: usize| format!("{{\"notes\":\"{}\"}}", "x".repeat(length - 12));
    let fits = app.post(INVOICES, &body(1_048_576)).await;
    assert_eq!(fits.outcome(), (400, "VALIDATION_ERROR".into()));
    assert!(fits.faulty().contains(&"notes".to_owned()));
    let over = app.post(INVOICES, &body(1_048_577)).await;
    assert_eq!(over.outcome(), (413, "PAYLOAD_TOO_LARGE".into()));
    let announced = app.json(Method::POST, INVOICES, "{}");
    let announced = announced.insert_header(("Content-Length", "99999999999"));
    let announced = app.send(announced).await;
    assert_eq!(announced.outcome(), (413, "PAYLOAD_TOO_LARGE".into()));
    assert_eq!(announced.header("x-ratelimit-limit"), "30");
}

#[actix_web::test]
async fn body_without_a_type_is_json_and_a_compressed_one_is_refused() {
    let app = TestApp::new().await;
    let untyped = app.request(Method::POST, INVOICES).set_payload("[]");
    assert_eq!(app.send(untyped).await.status, 400);
    let squeezed = app.json(Method::POST, INVOICES, "{}");
    let squeezed = squeezed.insert_header(("Content-Encoding", "gzip"));
    assert_eq!(app.send(squeezed).await.status, 415);
}

#[actix_web::test]
async fn repeated_field_under_a_used_key_is_another_body() {
    let app = TestApp::new().await;
    let doubled = r#"{"name":"Ada","name":"Bob","phone":"1"}"#;
    let refused = app.post_once("k", CONTACTS, doubled).await;
    assert_eq!(refused.faulty(), ["name"]);
    let once = r#"{"name":"Bob","phone":"1"}"#;
    let other = app.post_once("k", CONTACTS, once).await;
    assert_eq!(other.code(), "IDEMPOTENCY_KEY_REUSED");
}

#[actix_web::test]
async fn object_is_never_read_as_the_text_inside_it() {
    let app = TestApp::new().await;
    let disguised = r#"{"$serde_json::private::RawValue":"\"x\""}"#;
    let contact = format!(r#"{{"name":"Ada","phone":"1","external_id":{disguised}}}"#);
    let response = app.post_once("k", CONTACTS, &contact).await;
    assert_eq!(response.outcome(), (400, "VALIDATION_ERROR".into()));
    assert_eq!(response.faulty(), ["external_id"]);
    let invoice = format!(r#"{{"is_draft":true,"reference":{disguised}}}"#);
    let response = app.post_once("k", INVOICES, &invoice).await;
    assert_eq!(response.faulty(), ["reference"]);
}

#[actix_web::test]
async fn switched_off_account_is_refused_and_not_counted() {
    let app = TestApp::new().await;
    let accounts = app.get(ACCOUNTS).await.json();
    let account = accounts["data"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(app.delete(&format!("{ACCOUNTS}/{account}")).await.status, 200);
    let refused = app.get(INVOICES).await;
    assert_eq!(refused.outcome(), (403, "ACCOUNT_DISABLED".into()));
    assert!(refused.body.contains("partner"), "{}", refused.body);
    for header in ["www-authenticate", "x-ratelimit-limit"] {
        assert_eq!(refused.header(header), "");
    }
}
