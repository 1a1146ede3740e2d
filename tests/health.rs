//! Health checks for supervisors, and the headers of every response.

use reqwest::Method;

use crate::test_app::{Browser, Database, TestApp, invoice_body, on_both};

#[tokio::test]
async fn health_docs_and_metrics_answer() {
    on_both(async |server| {
        let nobody = server.anonymous();
        nobody.get("/health/live").await.expect(200);
        nobody.get("/health/ready").await.expect(200);
        let document = nobody.get("/api/v1/openapi.json").await.expect(200);
        assert_eq!(document.body["openapi"].as_str().map(|version| version.starts_with("3.1")), Some(true));
        let page = nobody.get("/docs/").await.expect(200);
        let page = page.html();
        assert!(page.contains("<html") && !page.contains("https://"), "assets come from the binary: {page}");
        nobody.get("/invoices").await.expect(401);
        let metrics = nobody.get("/metrics").await.expect(200).html();
        assert!(metrics.contains("http_requests_total"), "{metrics}");
    })
    .await;
}

#[tokio::test]
async fn every_response_has_a_request_id_and_head_equals_get() {
    on_both(async |server| {
        let account = server.account().await;
        let own =
            account.send(Method::GET, "/invoices", &[("X-Request-Id", "my-id.1")], None).await.expect(200);
        assert_eq!(own.header("X-Request-Id"), "my-id.1");
        let insane = account
            .send(Method::GET, "/invoices", &[("X-Request-Id", "a b<script>")], None)
            .await
            .expect(200);
        assert!(insane.header("X-Request-Id").len() == 36);
        assert!(!account.get("/no-such-path").await.expect(404).header("X-Request-Id").is_empty());
        let head = account.send(Method::HEAD, "/invoices", &[], None).await.expect(200);
        assert!(head.bytes.is_empty());
        assert_eq!(head.header("Access-Control-Allow-Origin"), "");
    })
    .await;
}

#[tokio::test]
async fn api_keys_are_never_logged() {
    on_both(async |server| {
        let account = server.account().await;
        let key = account.key.clone().unwrap();
        account.post("/invoices", &invoice_body()).await.expect(201);
        account.get(&format!("/invoices?cursor={key}")).await.expect(400);
        let log = server.until_logged("\"/api/v1/invoices\"", 2).await;
        assert!(!log.contains(&key["ct_live_".len()..]), "{log}");
        assert!(!log.contains("ada@example.com"), "{log}");
    })
    .await;
}

#[tokio::test]
async fn service_at_the_end_of_the_calendar_keeps_running() {
    for database in Database::both() {
        let clock = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(clock.path(), "9999-12-31T23:59:59Z").unwrap();
        let settings = [
            ("COUNTINGHOUSE_SANDBOX", "true"),
            ("COUNTINGHOUSE_TEST_CLOCK", clock.path().to_str().unwrap()),
            ("COUNTINGHOUSE_INBOUND_DOMAIN", "in.example.com"),
            ("COUNTINGHOUSE_INBOUND_TOKEN", "inbound-secret"),
        ];
        let mut server = TestApp::start(database, &settings).await;
        server.anonymous().get("/health/ready").await.expect(200);
        for _attempt in 0..3 {
            let fields = [("email", "ada@example.com"), ("password", "no such password")];
            Browser::new(&server).post("/login", &fields).await.expect(422);
        }
        // Workers end their rounds before the process ends.
        assert!(server.terminate().await.success());
        let log = server.log();
        assert!(!log.contains("panicked"), "{log}");
    }
}

/// A process with the wrong setting for its database serves no requests.
#[tokio::test]
async fn a_cluster_that_is_not_what_the_settings_say_is_not_ready() {
    let Some(database) = Database::citus() else {
        return;
    };
    let server = TestApp::start(database, &[("COUNTINGHOUSE_CITUS", "false")]).await;
    let ready = server.anonymous().get("/health/ready").await.expect(503);
    assert!(ready.body["missing"].as_str().unwrap().contains("COUNTINGHOUSE_CITUS=true"), "{}", ready.body);
    let doctor = server.command(&["doctor", "--json"]);
    let found: serde_json::Value = serde_json::from_slice(&doctor.stdout).unwrap();
    let of =
        |check: &str| found.as_array().unwrap().iter().find(|one| one["check"] == check).unwrap().clone();
    assert_eq!(of("distribution")["ok"], false);
    let again = server.command_json(&["migrate", "--citus"]);
    assert_eq!(again["pending"], serde_json::json!([]));
}
