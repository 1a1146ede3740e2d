//! Tests of what holds for the responses of all routes.

use std::num::NonZeroU8;
use std::sync::Arc;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::body::BoxBody;
use actix_web::http::Method;
use actix_web::test::TestRequest;

use crate::error_pages::{ErrorPages, FailedRequest};
use crate::state::Transport;
use crate::test_app::{ReadyOr, TestApp};

#[actix_web::test]
async fn unknown_path_is_not_found_and_has_the_common_headers() {
    let app = TestApp::new();
    for path in ["/", "/records", "/records/", "/nothing"] {
        let response = app.get(path).await;
        assert!(response.has(404, "NOT_FOUND"), "{path}");
        assert_eq!(response.header("content-type"), "application/json");
        assert_eq!(response.header("x-content-type-options"), "nosniff");
        assert_eq!(response.header("cache-control"), "no-store");
        assert!(!response.header("x-request-id").is_empty());
    }
}

#[actix_web::test]
async fn unknown_method_is_answered_with_the_allowed_ones() {
    let app = TestApp::new();
    for path in ["/records/1", "/health/live", "/health/ready", "/metrics"] {
        let response = app.send(TestRequest::post().uri(path)).await;
        assert!(response.has(405, "METHOD_NOT_ALLOWED"), "{path}");
        assert_eq!(response.header("allow"), "GET, HEAD");
    }
}

#[actix_web::test]
async fn request_id_of_the_caller_is_kept_when_safe_and_else_replaced() {
    let app = TestApp::new();
    let ask = |id: &str| {
        let request = TestRequest::get().uri("/health/live");
        app.send(request.insert_header(("X-Request-Id", id)))
    };
    let kept = ask("order-17.retry_2").await;
    assert_eq!(kept.header("x-request-id"), "order-17.retry_2");
    for bad in ["", "a b", "<script>", &"x".repeat(129)] {
        let response = ask(bad).await;
        let id = response.header("x-request-id");
        assert!(uuid::Uuid::try_parse(id).is_ok(), "{id}");
    }
}

#[actix_web::test]
async fn behind_a_proxy_plain_http_is_refused_before_anything_else() {
    let mut app = TestApp::new();
    app.state.transport = Transport::BehindTlsProxy { hops: NonZeroU8::MIN };
    let ask = |path: &str, protocol: Option<&str>| {
        let request = TestRequest::get().uri(path);
        let request = match protocol {
            Some(protocol) => request.insert_header(("X-Forwarded-Proto", protocol)),
            None => request,
        };
        app.send(request)
    };
    for protocol in [None, Some("http"), Some(""), Some("https, http"), Some("http,https")] {
        for path in ["/records/1", "/nothing", "/healthy"] {
            let response = ask(path, protocol).await;
            assert!(response.has(403, "HTTPS_REQUIRED"), "{path} {protocol:?}");
            assert!(!response.header("x-request-id").is_empty());
        }
        for path in ["/health/live", "/health/ready", "/metrics"] {
            assert_eq!(ask(path, protocol).await.status, 200, "{path} {protocol:?}");
        }
    }
    for protocol in ["HTTPS", "https, https"] {
        assert_eq!(ask("/records/1", Some(protocol)).await.status, 200);
    }
}

#[actix_web::test]
async fn request_past_its_deadline_is_answered_with_503_and_counted() {
    let mut app = TestApp::new();
    app.state.deadline = Duration::from_millis(20);
    let response = app.get("/hanging").await;
    assert!(response.has(503, "SERVICE_UNAVAILABLE"));
    assert_eq!(response.header("x-ratelimit-limit"), "120");
    assert!(!response.header("x-request-id").is_empty());
    assert_eq!(app.counted.0.lock().unwrap()[..], ["GET /hanging 503"]);
}

#[actix_web::test]
async fn panic_of_a_handler_is_an_internal_error_without_its_message() {
    let app = TestApp::new();
    let response = app.get("/panicking").await;
    assert!(response.has(500, "INTERNAL_ERROR"));
    assert!(!response.body.contains("the handler failed"));
    assert_eq!(response.header("x-ratelimit-remaining"), "119");
    assert_eq!(app.get("/records/1").await.status, 200);
}

#[actix_web::test]
async fn failure_of_the_store_shows_no_cause() {
    let response = TestApp::new().get("/failing").await;
    assert!(response.has(503, "SERVICE_UNAVAILABLE"));
    assert!(!response.body.contains("10.0.0.7"));
}

#[actix_web::test]
async fn requests_are_counted_by_the_pattern_of_their_route() {
    let app = TestApp::new();
    app.get("/records/17?x=secret").await;
    app.get("/wp-login.php").await;
    let made_up = Method::from_bytes(b"BREW").unwrap();
    app.send(TestRequest::default().method(made_up).uri("/metrics")).await;
    assert_eq!(
        app.counted.0.lock().unwrap()[..],
        ["GET /records/{id} 200", "GET unmatched 404", "OTHER /metrics 405"]
    );
}

#[actix_web::test]
async fn metrics_and_health_are_served() {
    let mut app = TestApp::new();
    let metrics = app.get("/metrics").await;
    assert_eq!((metrics.status, metrics.body.as_str()), (200, "# figures\n"));
    let ready = app.get("/health/ready").await;
    assert_eq!((ready.status, ready.body.as_str()), (200, r#"{"status":"ready"}"#));
    app.state.readiness = Arc::new(ReadyOr(Err("2 migrations are pending".to_owned())));
    let not_ready = app.get("/health/ready").await;
    assert_eq!(not_ready.status, 503);
    assert_eq!(not_ready.body, r#"{"status":"not ready","missing":"2 migrations are pending"}"#);
    assert_eq!(app.get("/health/live").await.status, 200);
}

/// Makes pages that show the request id.
struct IdAsPage;

impl ErrorPages for IdAsPage {
    fn page(&self, error: HttpResponse, request: FailedRequest<'_>) -> HttpResponse {
        error.set_body(BoxBody::new(format!("<p>{}", request.id)))
    }
}

#[actix_web::test]
async fn errors_are_pages_for_browsers_outside_the_api() {
    let mut app = TestApp::new();
    app.state.error_pages = Some(Arc::new(IdAsPage));
    app.state.deadline = Duration::from_millis(1);
    let ask = |path: &str, accept: &str| {
        let request = TestRequest::get().uri(path).insert_header(("X-Request-Id", "r-1"));
        app.send(request.insert_header(("Accept", accept)))
    };
    for (path, status) in [("/nothing", 404), ("/hanging", 503), ("/panicking", 500), ("/failing", 503)] {
        for accept in ["text/html", "text/plain, Text/HTML;q=0.9"] {
            let response = ask(path, accept).await;
            assert_eq!((response.status, response.body.as_str()), (status, "<p>r-1"), "{path} {accept}");
            assert_eq!(response.header("x-request-id"), "r-1");
        }
        for accept in ["", "*/*", "application/json", "text/htmlx"] {
            let response = ask(path, accept).await;
            assert!(response.body.starts_with(r#"{"error":"#), "{path} {accept}: {}", response.body);
        }
    }
    for path in ["/api/v1/nothing", "/%61pi/v1/nothing"] {
        assert!(ask(path, "text/html").await.has(404, "NOT_FOUND"), "{path}");
    }
    assert_eq!(ask("/records/1", "text/html").await.body, "{}");
}
