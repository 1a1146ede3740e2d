//! Traces: a collector in the test gets a span for each request. Run with `--features otlp`.

use reqwest::Method;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::test_app::{Database, TestApp};

const TRACE: [u8; 16] = *b"\x4b\xf9\x2f\x35\x77\xb3\x4d\xa6\xa3\xce\x92\x9d\x0e\x0e\x47\x36";
const PARENT: [u8; 8] = *b"\x00\xf0\x67\xaa\x0b\xa9\x02\xb7";
const TRACEPARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

fn holds(body: &[u8], bytes: &[u8]) -> bool {
    body.windows(bytes.len()).any(|window| window == bytes)
}

#[tokio::test]
async fn each_request_is_a_span_in_the_trace_of_its_caller() {
    let collector = MockServer::start().await;
    let taken = Mock::given(method("POST")).and(path("/v1/traces"));
    taken.respond_with(ResponseTemplate::new(200)).mount(&collector).await;
    let endpoint = collector.uri();
    let settings = [("COUNTINGHOUSE_OTLP_ENDPOINT", endpoint.as_str())];
    let mut server = TestApp::start(Database::sqlite(), &settings).await;
    let account = server.account().await;
    let headers = [("traceparent", TRACEPARENT), ("X-Request-Id", "the-traced-one")];
    account.send(Method::GET, "/invoices?cursor=secret", &headers, None).await.expect(400);
    account.get("/contacts/nonsense").await.expect(400);
    // Stopping sends the remaining spans.
    assert!(server.terminate().await.success());

    let sent = collector.received_requests().await.unwrap();
    assert!(!sent.is_empty(), "{}", server.log());
    let body: Vec<u8> = sent.into_iter().flat_map(|request| request.body).collect();
    for text in [
        "countinghouse",
        "service.version",
        "GET /api/v1/invoices",
        "GET /api/v1/contacts/{id}",
        "POST /api/v1/partner/accounts",
        "http.route",
        "http.request.method",
        "http.response.status_code",
        "request_id",
        "the-traced-one",
    ] {
        assert!(holds(&body, text.as_bytes()), "{text}");
    }
    assert!(holds(&body, &TRACE) && holds(&body, &PARENT));
    let key = account.key.unwrap();
    for secret in ["cursor=secret", "nonsense", &key, "@example.com"] {
        assert!(!holds(&body, secret.as_bytes()), "{secret}");
    }
    // The log is the same as without traces: one line for each request, and no spans.
    assert!(server.log().contains("the-traced-one"), "{}", server.log());
    assert!(!server.log().contains("\"span\""), "{}", server.log());
}

#[tokio::test]
async fn a_missing_collector_delays_no_request() {
    let settings = [("COUNTINGHOUSE_OTLP_ENDPOINT", "http://127.0.0.1:1")];
    let mut server = TestApp::start(Database::sqlite(), &settings).await;
    let account = server.account().await;
    account.get("/invoices").await.expect(200);
    assert!(server.terminate().await.success());
}
