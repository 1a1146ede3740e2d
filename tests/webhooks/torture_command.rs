//! `webhook torture`, against a receiver as in docs/webhooks.md, and against careless ones.

use std::process::Output;
use std::sync::Arc;

use actix_web::dev::ServerHandle;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use serde_json::Value;
use webhooks::{SIGNATURE_HEADER, SigningSecret, verify};

use crate::test_app::authority::AUTHORITY;
use crate::test_app::receiver::Receiver;
use crate::test_app::{Database, TestApp};

const SECRET: &str = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE";

/// A receiver's response status for a signature and a raw body.
type Responder = fn(&str, &[u8]) -> u16;

/// A receiver on a separate thread, which ends with the test.
struct ScriptedReceiver {
    url: String,
    handle: ServerHandle,
}

impl ScriptedReceiver {
    fn start(responder: Responder) -> Self {
        let (sender, started) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                let receive = move |request: HttpRequest, body: web::Bytes| async move {
                    let header = request.headers().get(SIGNATURE_HEADER);
                    let header = header.and_then(|value| value.to_str().ok());
                    let status = responder(header.unwrap_or_default(), &body);
                    HttpResponse::new(status.try_into().expect("a status"))
                };
                let app = move || App::new().route("/hooks", web::post().to(receive));
                let config = Arc::unwrap_or_clone(AUTHORITY.server_config());
                let server = HttpServer::new(app).workers(1).disable_signals();
                let server = server.bind_rustls_0_23("127.0.0.1:0", config).expect("a port");
                let url = format!("https://{}/hooks", server.addrs()[0]);
                let running = server.run();
                sender.send((url, running.handle())).expect("the test waits");
                running.await.expect("a receiver");
            });
        });
        let (url, handle) = started.recv().expect("a receiver");
        Self { url, handle }
    }
}

impl Drop for ScriptedReceiver {
    fn drop(&mut self) {
        // The call itself sends the command to stop; the result is not awaited.
        drop(self.handle.stop(false));
    }
}

/// Responds like `crates/webhooks/examples/receiver.rs`.
fn careful(header: &str, body: &[u8]) -> u16 {
    let secret = SigningSecret::parse(SECRET).unwrap();
    if verify(&secret, body, header).is_err() {
        return 401;
    }
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let events = body["events"].as_array();
    let has_ids = |events: &Vec<Value>| events.iter().all(|event| event["event_id"].is_string());
    if events.is_some_and(has_ids) { 204 } else { 400 }
}

/// Accepts everything.
fn careless(_header: &str, _body: &[u8]) -> u16 {
    200
}

/// Verifies the body after a JSON library has parsed and serialised it.
fn reserialising(header: &str, body: &[u8]) -> u16 {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let secret = SigningSecret::parse(SECRET).unwrap();
    let fits = verify(&secret, body.to_string().as_bytes(), header).is_ok();
    if fits { 200 } else { 403 }
}

fn torture(url: &str, private_targets: &str, more: &[&str]) -> Output {
    let database = Database::sqlite();
    let ca = database.folder.path().join("ca.pem");
    std::fs::write(&ca, AUTHORITY.pem()).unwrap();
    let settings = [
        ("COUNTINGHOUSE_EXTRA_CA_FILE", ca.to_str().unwrap()),
        ("COUNTINGHOUSE_ALLOW_PRIVATE_TARGETS", private_targets),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let words = [&["webhook", "torture", "--url", url, "--secret", SECRET], more].concat();
    TestApp::command_on(&database, &settings, &words)
}

/// The printed results, and the exit status.
fn card(url: &str) -> (Vec<Value>, Option<i32>) {
    let output = torture(url, "true", &["--json"]);
    let card = serde_json::from_slice(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    (card.unwrap_or_else(|_none| panic!("{errors}")), output.status.code())
}

fn failed(card: &[Value]) -> Vec<&str> {
    let failed = card.iter().filter(|score| score["passed"] == false);
    failed.map(|score| score["played"].as_str().unwrap()).collect()
}

const FORGERIES: [&str; 8] = [
    "signed with another secret",
    "no signature",
    "an empty signature",
    "the signature of another body",
    "a signature of nothing",
    "a signature that is no base64",
    "the right signature in hex",
    "one byte changed after signing",
];

#[test]
fn a_careful_receiver_passes_everything() {
    let receiver = ScriptedReceiver::start(careful);
    let (card, status) = card(&receiver.url);
    assert_eq!((failed(&card), status), (Vec::new(), Some(0)), "{card:#?}");
    assert_eq!(card.len(), 20);
    for score in &card {
        let fields: Vec<_> = score.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["came", "expected", "passed", "played"]);
    }
    let output = torture(&receiver.url, "true", &[]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("pass  half a body, then the end") && text.contains("20 of 20 passed"), "{text}");
    let progress = String::from_utf8_lossy(&output.stderr);
    assert!(progress.contains("1/20 a genuine delivery"), "{progress}");
    assert!(!text.contains(SECRET) && !progress.contains(SECRET));
}

#[test]
fn a_careless_receiver_fails_with_every_forgery() {
    let receiver = ScriptedReceiver::start(careless);
    let (card, status) = card(&receiver.url);
    let failed = failed(&card);
    assert_eq!(status, Some(1));
    assert!(FORGERIES.iter().all(|forgery| failed.contains(forgery)), "{card:#?}");
    assert!(!failed.contains(&"a genuine delivery") && !failed.contains(&"half a body, then the end"));
    let output = torture(&receiver.url, "true", &[]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("FAIL  no signature"), "{text}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("the receiver failed "));
}

#[test]
fn a_receiver_that_reserialises_the_body_fails() {
    let (card, status) = card(&ScriptedReceiver::start(reserialising).url);
    assert_eq!(status, Some(1));
    assert!(failed(&card).contains(&"other spacing in a signed body"), "{card:#?}");
}

#[test]
fn an_unreachable_receiver_fails_every_check() {
    let receiver = Receiver::good();
    let output = torture(&receiver.url(), "false", &[]);
    assert_eq!((output.status.code(), receiver.connections()), (Some(1), 0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("127.0.0.1 is not public"));
    // Nothing listens on port 1.
    let (card, status) = card("https://127.0.0.1:1/");
    assert_eq!((failed(&card).len(), status), (card.len(), Some(1)), "{card:#?}");
}
