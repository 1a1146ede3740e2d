//! What the log says, and what it keeps to itself.

use std::io::Write;
use std::sync::{Arc, Mutex};

use actix_web::test::TestRequest;

use crate::testing::{House, Mood};

#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Paper {
    fn lines(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

fn listen() -> (Paper, tracing::subscriber::DefaultGuard) {
    let paper = Paper::default();
    let writer = paper.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .without_time()
        .with_target(false)
        .with_writer(move || writer.clone())
        .finish();
    (paper, tracing::subscriber::set_default(subscriber))
}

#[actix_web::test]
async fn a_request_is_one_line_without_anything_secret() {
    let house = House::new();
    let (paper, _guard) = listen();
    let request = house.writing("/api/v1/contacts?token=hush", r#"{"name": "Ada Lovelace"}"#);
    house
        .send(request.insert_header(("X-Request-Id", "r-1")))
        .await;
    house.send(TestRequest::get().uri("/hidden")).await;
    let lines = paper.lines();
    let first = lines.lines().next().unwrap();
    let account = house.kept().account_key.1.scope.id;
    assert!(
        first.contains(r#"method="POST" route="/api/v1/contacts" status=400 duration_ms="#),
        "{first}"
    );
    assert!(first.contains(&format!("account={account}")) && first.contains("request_id=\"r-1\""));
    assert_eq!(lines.lines().count(), 2, "{lines}");
    for secret in [
        &house.account_key[8..],
        "hush",
        "Lovelace",
        "Bearer",
        "hidden",
    ] {
        assert!(!lines.contains(secret), "{lines}");
    }
}

#[actix_web::test]
async fn a_failure_is_logged_once_with_its_chain() {
    let house = House::new();
    house.kept().mood = Mood::Unavailable;
    let (paper, _guard) = listen();
    house
        .post_under("k", "/api/v1/contacts", r#"{"email": "ada@example.com"}"#)
        .await;
    let lines = paper.lines();
    assert!(
        lines.contains("the database is not available: no connection to 10.0.0.7"),
        "{lines}"
    );
    assert_eq!(lines.matches("no connection").count(), 1, "{lines}");
    assert!(lines.contains("SERVICE_UNAVAILABLE"), "{lines}");
}
