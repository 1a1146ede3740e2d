//! Tests of what the access log contains and what it leaves out.

use std::io::Write;
use std::sync::{Arc, Mutex};

use actix_web::test::TestRequest;

use crate::test_app::TestApp;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

fn capture() -> (Log, tracing::subscriber::DefaultGuard) {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .without_time()
        .with_target(false)
        .with_writer(move || writer.clone())
        .finish();
    (log, tracing::subscriber::set_default(subscriber))
}

#[actix_web::test]
async fn request_is_one_line_without_secrets() {
    let app = TestApp::new();
    let (log, _guard) = capture();
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
    let (log, _guard) = capture();
    app.get("/failing").await;
    let lines = log.text();
    let cause = "the database is not available: no connection to 10.0.0.7";
    assert_eq!(lines.matches(cause).count(), 1, "{lines}");
    assert!(lines.contains("SERVICE_UNAVAILABLE"), "{lines}");
}
