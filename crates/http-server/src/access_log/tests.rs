//! Tests of what the access log contains and what it leaves out.

use actix_web::test::TestRequest;
use testkit::CapturedLog;

use crate::test_app::TestApp;

#[actix_web::test]
async fn request_is_one_line_without_secrets() {
    let app = TestApp::new();
    let (log, _guard) = CapturedLog::begin();
    let request = TestRequest::get().uri("/records/lovelace?token=hush");
    let request = request.insert_header(("Authorization", "Bearer ct_live_x"));
    app.send(request.insert_header(("X-Request-Id", "r-1"))).await;
    app.get("/hidden").await;
    let lines = log.text();
    let first = lines.lines().next().unwrap();
    for part in [
        r#"method="GET" route="/records/{id}" status=200 duration_ms="#,
        r#"request_id="r-1""#,
        "account=00000000-0000-0000-0000-000000000007",
    ] {
        assert!(first.contains(part), "{first}");
    }
    assert_eq!(lines.lines().count(), 2, "{lines}");
    for secret in ["ct_live_x", "hush", "lovelace", "Bearer", "hidden"] {
        assert!(!lines.contains(secret), "{lines}");
    }
}

#[actix_web::test]
async fn failure_is_logged_once_with_its_chain_of_causes() {
    let app = TestApp::new();
    let (log, _guard) = CapturedLog::begin();
    app.get("/failing").await;
    let lines = log.text();
    let cause = "the database is not available: no connection to 10.0.0.7";
    assert_eq!(lines.matches(cause).count(), 1, "{lines}");
    assert!(lines.contains("SERVICE_UNAVAILABLE"), "{lines}");
}
