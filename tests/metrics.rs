//! The metrics for Prometheus, and their optional separate listener.

use app::metrics::catalogue::{METRICS, MetricKind};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::settings::{refused, start};
use crate::test_app::{Caller, Database, TestApp, invoice_body, on_both, on_both_with, until};

async fn metrics(caller: &Caller) -> String {
    let answer = caller.get("/metrics").await.expect(200);
    let plain = "text/plain; version=0.0.4; charset=utf-8";
    assert_eq!(answer.header("Content-Type"), plain);
    String::from_utf8(answer.bytes).unwrap()
}

/// The value of the series that begins with this name and has these labels.
fn value(metrics: &str, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
    let has = |line: &str| {
        let labels = labels.iter();
        let mut labels = labels.map(|(label, value)| format!("{label}=\"{value}\""));
        line.split(['{', ' ']).next() == Some(name) && labels.all(|label| line.contains(&label))
    };
    let line = metrics.lines().find(|line| has(line))?;
    line.rsplit(' ').next()?.parse().ok()
}

/// The figures, once they satisfy a condition.
async fn metrics_when(caller: &Caller, said: impl Fn(&str) -> bool) -> String {
    until("the figures", async || Some(metrics(caller).await).filter(|metrics| said(metrics))).await
}

const WORKERS: [&str; 6] = ["clean-up", "due-dates", "mail", "metrics", "queue-metrics", "webhooks"];

#[tokio::test]
async fn every_metric_is_present_with_its_description() {
    let settings = [("COUNTINGHOUSE_READS_PER_MINUTE", "1")];
    on_both_with(&settings, async |server| {
        let account = server.account().await;
        account.get("/invoices").await.expect(200);
        account.get("/invoices").await.expect(429);
        server.anonymous().get("/invoices").await.expect(401);
        let nobody = server.anonymous();
        let all = metrics_when(&nobody, |metrics| {
            METRICS.iter().all(|(name, _, _)| metrics.contains(&format!("# HELP {name} ")))
                && WORKERS.iter().all(|worker| {
                    let worker = [("worker", *worker), ("outcome", "succeeded")];
                    value(metrics, "countinghouse_worker_rounds_total", &worker).is_some()
                })
        })
        .await;
        for (name, kind, help) in METRICS {
            let kind = match kind {
                MetricKind::Counter => "counter",
                MetricKind::Gauge => "gauge",
                MetricKind::Histogram => "histogram",
            };
            assert!(all.contains(&format!("# HELP {name} {help}\n")), "{name}: {all}");
            assert!(all.contains(&format!("# TYPE {name} {kind}\n")), "{name}: {all}");
        }
        let known = |name: &str| METRICS.iter().any(|(known, _, _)| *known == name);
        for line in all.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
            assert!(line.split(' ').next().is_some_and(known), "{line} is not in the catalogue");
        }
        let route = ("route", "/api/v1/invoices");
        let requests = |status| value(&all, "http_requests_total", &[route, ("status", status)]);
        assert_eq!(["200", "401", "429"].map(requests), [Some(1.0); 3], "{all}");
        let of_route = |name| value(&all, name, &[route]);
        assert_eq!(of_route("http_requests_rate_limited_total"), Some(1.0));
        assert_eq!(of_route("http_requests_unauthenticated_total"), Some(1.0));
        assert_eq!(of_route("http_request_duration_seconds_count"), Some(3.0));
        let database = if server.database.name == "sqlite" { "sqlite" } else { "postgresql" };
        let build = [("version", env!("CARGO_PKG_VERSION")), ("database", database)];
        assert_eq!(value(&all, "countinghouse_build_info", &build), Some(1.0));
        assert!(value(&all, "process_start_time_seconds", &[]).unwrap() > 1_700_000_000.0);
    })
    .await;
}

#[tokio::test]
async fn metrics_show_pool_and_workers() {
    on_both(async |server| {
        server.account().await.get("/invoices").await.expect(200);
        let nobody = server.anonymous();
        let all = metrics_when(&nobody, |metrics| {
            value(metrics, "countinghouse_worker_last_success_timestamp_seconds", &[("worker", "mail")])
                .is_some()
        })
        .await;
        let pool = |what: &str| value(&all, &format!("countinghouse_db_pool_{what}"), &[]).unwrap();
        let (most, open) = (pool("max_connections"), pool("open_connections"));
        assert!(most >= open && open >= 1.0 && open >= pool("idle_connections"), "{all}");
        assert!(pool("waiting_tasks") >= 0.0);
        let mail = [("worker", "mail")];
        let of_mail = |name| value(&all, name, &mail).unwrap();
        let last = of_mail("countinghouse_worker_last_success_timestamp_seconds");
        assert!(last >= value(&all, "process_start_time_seconds", &[]).unwrap());
        assert!(of_mail("countinghouse_worker_lag_seconds") >= 0.0);
    })
    .await;
}

#[tokio::test]
async fn metrics_count_queued_mail() {
    // Nothing listens on this port.
    let settings = [("COUNTINGHOUSE_SMTP_URL", "smtp://127.0.0.1:1")];
    on_both_with(&settings, async |server| {
        let account = server.account().await;
        let mut body = invoice_body();
        body["send_invoice"] = json!(true);
        account.post("/invoices", &body).await.expect(201);
        let waiting =
            |metrics: &str, queue| value(metrics, "countinghouse_queue_waiting_items", &[("queue", queue)]);
        let nobody = server.anonymous();
        // The invoice's mail, and the invitation of the account's owner.
        let all = metrics_when(&nobody, |metrics| waiting(metrics, "mail") == Some(2.0)).await;
        assert_eq!(waiting(&all, "ledger"), Some(0.0));
        let overdue = value(&all, "countinghouse_queue_overdue_seconds", &[("queue", "ledger")]);
        assert_eq!(overdue, Some(0.0));
    })
    .await;
}

const ADMIN: (&str, &str) = ("COUNTINGHOUSE_ADMIN_LISTEN", "127.0.0.1:0");

#[tokio::test]
async fn metrics_count_what_came_in_by_what_became_of_it() {
    let settings = [("COUNTINGHOUSE_INBOUND_TOKEN", "inbound-token")];
    on_both_with(&settings, async |server| {
        let nobody = server.anonymous();
        let counted = |metrics: &str, state| {
            value(metrics, "countinghouse_inbound_messages_total", &[("state", state)])
        };
        let all = metrics_when(&nobody, |metrics| counted(metrics, "quarantined").is_some()).await;
        for state in ["handled", "quarantined", "automatic", "dropped"] {
            assert_eq!(counted(&all, state), Some(0.0), "{state}");
        }
        let mails = [
            "From: <eve@example.com>\r\nMessage-ID: <a@example.com>\r\n\r\nHello\r\n",
            "From: <eve@example.com>\r\nMessage-ID: <b@example.com>\r\n\r\nHello again\r\n",
            "From: <eve@example.com>\r\nAuto-Submitted: auto-replied\r\n\r\nI am away\r\n",
        ];
        for mail in [mails[0], mails[0], mails[1], mails[2]] {
            let url = format!("{}/inbound/mail/inbound-token", server.base);
            let sent = reqwest::Client::new().post(url).body(mail).send().await.unwrap();
            assert_eq!(sent.status(), 200);
        }
        let is_counted = |metrics: &str| {
            counted(metrics, "dropped") == Some(2.0) && counted(metrics, "automatic") == Some(1.0)
        };
        let all = metrics_when(&nobody, is_counted).await;
        assert_eq!(counted(&all, "handled"), Some(0.0));
        assert_eq!(value(&all, "countinghouse_inbound_quarantined_messages", &[]), Some(0.0));
    })
    .await;
}

fn admin(server: &TestApp) -> Caller {
    let address = server.logged("admin_listening").expect("a line that says where");
    server.anonymous().at(&format!("http://{address}"))
}

#[tokio::test]
async fn the_admin_listener_serves_metrics_and_health_only() {
    on_both_with(&[ADMIN], async |mut server| {
        let (public, admin) = (server.anonymous(), admin(&server));
        assert_ne!(public.base, admin.base);
        public.get("/metrics").await.refused(404, "NOT_FOUND");
        public.post("/metrics", &json!({})).await.refused(404, "NOT_FOUND");
        assert!(metrics(&admin).await.contains("http_requests_total"));
        for path in ["/health/live", "/health/ready"] {
            public.get(path).await.expect(200);
            let answer = admin.get(path).await.expect(200);
            assert!(!answer.header("X-Request-Id").is_empty());
        }
        admin.post("/metrics", &json!({})).await.refused(405, "METHOD_NOT_ALLOWED");
        for path in ["/invoices", "/api/v1/openapi.json", "/docs/", "/partner/accounts"] {
            admin.get(path).await.refused(404, "NOT_FOUND");
        }
        // A monitoring client keeps its connection open; the service stops all the same.
        let address = admin.base.strip_prefix("http://").unwrap();
        let mut idle = tokio::net::TcpStream::connect(address).await.unwrap();
        let head = b"GET /health/live HTTP/1.1\r\nHost: books\r\n\r\n";
        idle.write_all(head).await.unwrap();
        assert_ne!(idle.read(&mut [0; 512]).await.unwrap(), 0);
        assert!(server.terminate().await.success());
        assert!(server.log().contains("\"stopped\""), "{}", server.log());
        let gone = admin.try_to_send(reqwest::Method::GET, "/metrics", &[], None).await;
        assert!(gone.is_err());
    })
    .await;
}

#[tokio::test]
async fn the_admin_listener_speaks_plain_http_behind_a_proxy() {
    let settings = [("COUNTINGHOUSE_ADMIN_LISTEN", "0.0.0.0:0"), ("COUNTINGHOUSE_BEHIND_TLS_PROXY", "true")];
    let server = TestApp::start(Database::sqlite(), &settings).await;
    let address = server.logged("admin_listening").unwrap();
    let port = address.rsplit(':').next().unwrap();
    let admin = server.anonymous().at(&format!("http://127.0.0.1:{port}"));
    metrics(&admin).await;
    admin.get("/nowhere").await.refused(404, "NOT_FOUND");
    server.anonymous().get("/metrics").await.refused(404, "NOT_FOUND");
    server.anonymous().get("/health/live").await.expect(200);
}

#[test]
fn a_port_that_is_taken_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let settings = [("COUNTINGHOUSE_ADMIN_LISTEN", address.as_str())];
    refused(&start(&Database::sqlite(), &settings), "COUNTINGHOUSE_ADMIN_LISTEN");
}

#[cfg(not(feature = "otlp"))]
#[tokio::test]
async fn an_unsupported_collector_is_logged_as_a_warning() {
    let settings = [("COUNTINGHOUSE_OTLP_ENDPOINT", "http://127.0.0.1:4318")];
    let server = TestApp::start(Database::sqlite(), &settings).await;
    let said = "COUNTINGHOUSE_OTLP_ENDPOINT is set, but this binary is built without";
    assert!(server.log().contains(said), "{}", server.log());
}
