//! What holds for every answer, whatever the route.

use std::time::Duration;

use actix_web::http::Method;
use actix_web::test::TestRequest;

use crate::state::Transport;
use crate::testing::{House, Mood};

#[actix_web::test]
async fn an_unknown_path_is_not_found_and_needs_no_key() {
    let house = House::new();
    for path in [
        "/",
        "/api/v1",
        "/api/v1/",
        "/api/v1/invoices/",
        "/api/v1/escalations",
        "/api/v2/invoices",
        "/docs/nothing.js",
        "/docs/%FF",
        "/docs/../Cargo.toml",
    ] {
        let reply = house.send(TestRequest::get().uri(path)).await;
        assert_eq!(reply.outcome(), (404, "NOT_FOUND".into()), "{path}");
        assert_eq!(reply.header("content-type"), "application/json");
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
        assert_eq!(reply.header("cache-control"), "no-store");
        assert!(!reply.header("x-request-id").is_empty());
    }
    assert_eq!(house.kept().look_ups, 0);
}

#[actix_web::test]
async fn a_known_path_names_the_methods_that_it_knows() {
    let house = House::new();
    for (path, methods, allow) in [
        (
            "/api/v1/invoices",
            "PUT PATCH DELETE OPTIONS TRACE",
            "GET, HEAD, POST",
        ),
        (
            "/api/v1/invoices/1",
            "POST PATCH DELETE OPTIONS",
            "GET, HEAD, PUT",
        ),
        ("/api/v1/invoices/1/cancel", "GET HEAD PUT DELETE", "POST"),
        ("/api/v1/invoices/1/pdf", "POST PUT DELETE", "GET, HEAD"),
        ("/api/v1/contacts", "PUT BREW", "GET, HEAD, POST"),
        ("/api/v1/contacts/1", "POST", "GET, HEAD"),
        ("/api/v1/partner/accounts", "DELETE", "GET, HEAD, POST"),
        (
            "/api/v1/partner/accounts/1",
            "POST PUT",
            "GET, HEAD, PATCH, DELETE",
        ),
        ("/api/v1/partner/accounts/1/api-key", "GET HEAD", "POST"),
        ("/api/v1/openapi.json", "POST", "GET, HEAD"),
        ("/health/live", "POST", "GET, HEAD"),
        ("/metrics", "POST", "GET, HEAD"),
        ("/docs/", "POST", "GET, HEAD"),
    ] {
        for method in methods.split(' ') {
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            let request = TestRequest::default().method(method.clone()).uri(path);
            let reply = house.send(request).await;
            assert_eq!(reply.status, 405, "{method} {path}");
            assert_eq!(reply.code(), "METHOD_NOT_ALLOWED");
            assert_eq!(reply.header("allow"), allow);
            assert_eq!(reply.header("access-control-allow-origin"), "");
        }
    }
    assert_eq!(house.kept().look_ups, 0);
}

#[actix_web::test]
async fn head_works_wherever_get_does() {
    let house = House::new();
    for path in [
        "/api/v1/invoices",
        "/api/v1/contacts?email=ada@example.com",
        "/api/v1/partner/accounts",
        "/api/v1/openapi.json",
        "/docs/",
        "/health/live",
        "/health/ready",
        "/metrics",
    ] {
        let get = house.get(path).await;
        let head = house.send(house.keyed(TestRequest::default().method(Method::HEAD), path));
        let head = head.await;
        assert_eq!(get.status, head.status, "{path}");
        assert_eq!(get.header("content-type"), head.header("content-type"));
    }
}

#[actix_web::test]
async fn a_sane_request_id_is_kept_and_any_other_replaced() {
    let house = House::new();
    let ask = |id: &str| {
        let request = TestRequest::get().uri("/health/live");
        house.send(request.insert_header(("X-Request-Id", id)))
    };
    assert_eq!(
        ask("order-17.retry_2").await.header("x-request-id"),
        "order-17.retry_2"
    );
    for bad in ["", "a b", "<script>", &"x".repeat(129)] {
        let reply = ask(bad).await;
        let id = reply.header("x-request-id");
        assert!(uuid::Uuid::try_parse(id).is_ok(), "{id}");
    }
}

#[actix_web::test]
async fn behind_a_proxy_only_what_came_by_tls_is_looked_at() {
    let mut house = House::new();
    house.state.transport = Transport::BehindTlsProxy;
    let ask = |path: &str, protocol: Option<&str>| {
        let request = house.keyed(TestRequest::get(), path);
        let request = match protocol {
            Some(protocol) => request.insert_header(("X-Forwarded-Proto", protocol)),
            None => request,
        };
        house.send(request)
    };
    for protocol in [
        None,
        Some("http"),
        Some(""),
        Some("https, http"),
        Some("http,https"),
    ] {
        for path in ["/api/v1/invoices", "/nowhere", "/docs/", "/healthy"] {
            let reply = ask(path, protocol).await;
            assert_eq!(
                reply.outcome(),
                (403, "HTTPS_REQUIRED".into()),
                "{path} {protocol:?}"
            );
            assert!(!reply.header("x-request-id").is_empty());
            assert_eq!(reply.header("x-ratelimit-limit"), "");
        }
        for path in ["/health/live", "/health/ready", "/metrics"] {
            assert_eq!(ask(path, protocol).await.status, 200, "{path} {protocol:?}");
        }
    }
    assert_eq!(house.kept().look_ups, 0);
    assert_eq!(ask("/api/v1/invoices", Some("HTTPS")).await.status, 200);
    assert_eq!(
        ask("/api/v1/invoices", Some("https, https")).await.status,
        200
    );
}

#[actix_web::test]
async fn a_request_past_its_deadline_is_answered_all_the_same() {
    let mut house = House::new();
    house.state.deadline = Duration::from_millis(20);
    house.kept().mood = Mood::Hanging;
    let reply = house.get("/api/v1/invoices").await;
    assert_eq!(reply.outcome(), (503, "SERVICE_UNAVAILABLE".into()));
    assert_eq!(reply.header("x-ratelimit-limit"), "120");
    assert!(!reply.header("x-request-id").is_empty());
    assert_eq!(
        house.counted.0.lock().unwrap()[..],
        ["GET /api/v1/invoices 503"]
    );
}

#[actix_web::test]
async fn a_panic_is_a_failure_like_any_other() {
    let house = House::new();
    house.kept().mood = Mood::Panicking;
    let reply = house.get("/api/v1/invoices").await;
    assert_eq!(reply.outcome(), (500, "INTERNAL_ERROR".into()));
    assert!(!reply.body.contains("fell over"));
    assert_eq!(reply.header("x-ratelimit-remaining"), "119");
    house.kept().mood = Mood::Well;
    assert_eq!(house.get("/api/v1/invoices").await.status, 200);
}

#[actix_web::test]
async fn a_failing_store_shows_nothing_of_itself() {
    let house = House::new();
    for (mood, status, code) in [
        (Mood::Unavailable, 503, "SERVICE_UNAVAILABLE"),
        (Mood::Broken, 500, "INTERNAL_ERROR"),
    ] {
        house.kept().mood = mood;
        let reply = house.get("/api/v1/invoices").await;
        assert_eq!(reply.outcome(), (status, code.into()));
        assert!(!reply.body.contains("10.0.0.7") && !reply.body.contains("relation"));
    }
}

#[actix_web::test]
async fn requests_are_counted_by_the_pattern_of_their_route() {
    let house = House::new();
    house
        .get("/api/v1/invoices/01a1f6b6-ee63-7000-8000-000000000001?x=secret")
        .await;
    house
        .send(TestRequest::get().uri("/api/v1/contacts/1"))
        .await;
    house.send(TestRequest::get().uri("/wp-login.php")).await;
    let brew = Method::from_bytes(b"BREW").unwrap();
    house
        .send(TestRequest::default().method(brew).uri("/metrics"))
        .await;
    assert_eq!(
        house.counted.0.lock().unwrap()[..],
        [
            "GET /api/v1/invoices/{id} 404",
            "GET /api/v1/contacts/{id} 401",
            "GET unmatched 404",
            "OTHER /metrics 405"
        ]
    );
}

#[actix_web::test]
async fn pages_and_figures_come_out_of_the_binary() {
    let house = House::new();
    let page = house.send(TestRequest::get().uri("/docs/")).await;
    assert_eq!(page.status, 200);
    assert!(page.header("content-type").starts_with("text/html"));
    assert!(!page.body.contains("//unpkg") && !page.body.contains("//cdn"));
    let start = house
        .send(TestRequest::get().uri("/docs/swagger-initializer.js"))
        .await;
    assert!(
        start.body.contains("../api/v1/openapi.json"),
        "{}",
        start.body
    );
    let moved = house.send(TestRequest::get().uri("/docs")).await;
    assert_eq!((moved.status, moved.header("location")), (308, "docs/"));
    let document = house
        .send(TestRequest::get().uri("/api/v1/openapi.json"))
        .await;
    assert_eq!(document.body, crate::openapi_json());
    let figures = house.send(TestRequest::get().uri("/metrics")).await;
    assert_eq!(figures.body, "# figures\n");
    let ready = house.send(TestRequest::get().uri("/health/ready")).await;
    assert_eq!(ready.body, r#"{"status":"ready"}"#);
}

#[actix_web::test]
async fn what_is_missing_to_serve_is_said() {
    struct Unready;
    #[async_trait::async_trait]
    impl crate::Readiness for Unready {
        async fn ready(&self) -> Result<(), String> {
            Err("2 migrations are pending".to_owned())
        }
    }
    let mut house = House::new();
    house.state.readiness = std::sync::Arc::new(Unready);
    let reply = house.send(TestRequest::get().uri("/health/ready")).await;
    assert_eq!(reply.status, 503);
    assert_eq!(
        reply.body,
        r#"{"status":"not ready","missing":"2 migrations are pending"}"#
    );
    assert_eq!(
        house
            .send(TestRequest::get().uri("/health/live"))
            .await
            .status,
        200
    );
}
