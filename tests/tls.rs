//! HTTPS: served by the process itself, and required behind a proxy.

use std::path::{Path, PathBuf};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use reqwest::{Method, Version};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::settings::{refused, start};
use crate::test_app::{Caller, Database, TestApp, invoice_body, on_both_with};

/// A certificate for this machine and its key, as files in a folder.
struct Pair {
    certificate: PathBuf,
    key: PathBuf,
}

impl Pair {
    fn new(folder: &Path, name: &str) -> Self {
        let names = ["127.0.0.1".to_owned(), "localhost".to_owned()];
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
        Self {
            certificate: file(folder, &format!("{name}.pem"), &cert.pem()),
            key: file(folder, &format!("{name}.key"), &signing_key.serialize_pem()),
        }
    }

    fn settings(&self) -> [(&'static str, &str); 2] {
        settings(&self.certificate, &self.key)
    }

    /// A client that trusts this certificate and no other.
    fn client(&self) -> reqwest::ClientBuilder {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let pem = std::fs::read(&self.certificate).unwrap();
        let trusted = reqwest::Certificate::from_pem(&pem).unwrap();
        reqwest::Client::builder().tls_certs_only([trusted])
    }
}

fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn settings<'p>(certificate: &'p Path, key: &'p Path) -> [(&'static str, &'p str); 2] {
    [
        ("COUNTINGHOUSE_TLS_CERT_FILE", certificate.to_str().unwrap()),
        ("COUNTINGHOUSE_TLS_KEY_FILE", key.to_str().unwrap()),
    ]
}

#[tokio::test]
async fn https_is_served_over_http_1_1_even_to_clients_that_offer_http_2() {
    for database in Database::both() {
        let pair = Pair::new(database.folder.path(), "own");
        let server = TestApp::start(database, &pair.settings()).await;
        let base = server.base.replace("http://", "https://");
        assert_eq!(server.logged("public_url").as_ref(), Some(&base));
        let key = server.partner().key.unwrap();
        for client in [pair.client(), pair.client().http1_only()] {
            let client = client.build().unwrap();
            let url = format!("{base}/api/v1/partner/accounts");
            let answer = client.get(&url).bearer_auth(&key).send().await.unwrap();
            assert_eq!((answer.status().as_u16(), answer.version()), (200, Version::HTTP_11));
            assert!(answer.headers().contains_key("x-request-id"));
            // TLS ends in the service, so that the caller's proxy headers are ignored.
            let url = format!("{base}/api/v1/openapi.json");
            let claimed = client.get(&url).header("X-Forwarded-Proto", "http");
            assert_eq!(claimed.send().await.unwrap().status().as_u16(), 200);
        }
        let stranger = Pair::new(server.database.folder.path(), "other");
        let stranger = stranger.client().build().unwrap();
        let error = stranger.get(&base).send().await.unwrap_err();
        assert!(error.is_connect(), "{error:?}");
    }
}

#[tokio::test]
async fn addresses_handed_out_are_https_with_a_certificate() {
    let database = Database::sqlite();
    let pair = Pair::new(database.folder.path(), "own");
    let mut server = TestApp::start(database, &pair.settings()).await;
    let base = server.base.replace("http://", "https://");
    let printed = server.stop_and_read_output().await;
    assert!(printed.contains(&format!("{base}/api/v1/")), "{printed}");
    assert!(!printed.contains("http://"), "{printed}");
}

#[tokio::test]
async fn plain_http_on_an_https_port_gets_no_response() {
    let database = Database::sqlite();
    let pair = Pair::new(database.folder.path(), "own");
    let server = TestApp::start(database, &pair.settings()).await;
    let address = server.base.strip_prefix("http://").unwrap();
    let mut plain = tokio::net::TcpStream::connect(address).await.unwrap();
    let head = b"GET /health/live HTTP/1.1\r\nHost: books\r\n\r\n";
    plain.write_all(head).await.unwrap();
    let mut answer = Vec::new();
    // A reset may come before the end.
    plain.read_to_end(&mut answer).await.ok();
    let answer = String::from_utf8_lossy(&answer);
    assert!(!answer.contains("HTTP/") && !answer.contains("live"), "{answer}");
    // The port continues to serve.
    let base = server.base.replace("http://", "https://");
    let client = pair.client().build().unwrap();
    let live = client.get(format!("{base}/health/live")).send().await;
    assert_eq!(live.unwrap().status().as_u16(), 200);
}

#[test]
fn unusable_certificate_files_name_their_setting() {
    let database = Database::sqlite();
    let folder = database.folder.path();
    let (own, other) = (Pair::new(folder, "own"), Pair::new(folder, "other"));
    let empty = file(folder, "empty.pem", "");
    let prose = file(folder, "prose.pem", "This is a letter.");
    let torn = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let torn_key = torn.replace("CERTIFICATE", "PRIVATE KEY");
    let (torn, torn_key) = (file(folder, "torn.pem", torn), file(folder, "torn.key", &torn_key));
    let (certificate, key) = ("COUNTINGHOUSE_TLS_CERT_FILE", "COUNTINGHOUSE_TLS_KEY_FILE");
    let missing = folder.join("missing.pem");
    for (first, second, named) in [
        (&missing, &own.key, certificate),
        (&empty, &own.key, certificate),
        (&prose, &own.key, certificate),
        (&torn, &own.key, certificate),
        (&own.key, &own.key, certificate),
        (&own.certificate, &missing, key),
        (&own.certificate, &empty, key),
        (&own.certificate, &prose, key),
        (&own.certificate, &torn_key, key),
        (&own.certificate, &own.certificate, key),
        (&own.certificate, &other.key, "do not belong together"),
    ] {
        refused(&start(&database, &settings(first, second)), named);
    }
    refused(&start(&database, &own.settings()[..1]), key);
    refused(&start(&database, &own.settings()[1..]), certificate);
}

const BEHIND: (&str, &str) = ("COUNTINGHOUSE_BEHIND_TLS_PROXY", "true");

async fn send_by_protocol(
    caller: &Caller,
    protocol: Option<&str>,
    method: Method,
    path: &str,
) -> (u16, String) {
    let header = protocol.map(|protocol| ("X-Forwarded-Proto", protocol));
    let body = (method == Method::POST).then(|| invoice_body().to_string().into_bytes());
    let answer = caller.send(method, path, header.as_slice(), body).await;
    (answer.status, answer.code().to_owned())
}

#[tokio::test]
async fn behind_a_proxy_plain_http_is_refused_first() {
    on_both_with(&[BEHIND], async |server| {
        let public = server.logged("public_url").unwrap();
        assert!(public.starts_with("https://"), "{public}");
        let partner = server.partner();
        let email = serde_json::json!({"company_name": "A", "email": "a@example.com"});
        let made = partner
            .send(
                Method::POST,
                "/partner/accounts",
                &[("X-Forwarded-Proto", "https")],
                Some(email.to_string().into_bytes()),
            )
            .await
            .expect(201);
        let account = server.with_key(made.text("api_key"));
        let mistyped = server.with_key("ct_live_nonsense");
        let plain = (403, "HTTPS_REQUIRED".to_owned());
        for protocol in [None, Some("http"), Some(""), Some("https, http"), Some("HTTPSX")] {
            for (caller, method, path) in [
                (&account, Method::GET, "/invoices"),
                (&account, Method::POST, "/invoices"),
                (&account, Method::DELETE, "/invoices"),
                (&mistyped, Method::GET, "/invoices"),
                (&account, Method::GET, "/no-such-path"),
                (&account, Method::GET, "/docs/"),
                (&account, Method::GET, "/api/v1/openapi.json"),
                (&account, Method::GET, "/healthy"),
                (&account, Method::GET, "/metrics/more"),
            ] {
                let came = send_by_protocol(caller, protocol, method.clone(), path).await;
                assert_eq!(came, plain, "{protocol:?} {method} {path}");
            }
            for path in ["/health/live", "/health/ready", "/metrics"] {
                let came = send_by_protocol(&account, protocol, Method::GET, path).await;
                assert_eq!(came.0, 200, "{protocol:?} {path}");
            }
        }
        for protocol in ["https", "HTTPS", "https, https"] {
            let came = send_by_protocol(&account, Some(protocol), Method::GET, "/invoices").await;
            assert_eq!(came.0, 200, "{protocol}");
        }
        // None of the refused creations had an effect.
        let secure = [("X-Forwarded-Proto", "https")];
        let list = account.send(Method::GET, "/invoices", &secure, None).await;
        assert_eq!(list.expect(200).body["data"], serde_json::json!([]));
    })
    .await;
}

#[tokio::test]
async fn a_proxy_that_connects_by_tls_must_still_forward_the_scheme() {
    let database = Database::sqlite();
    let pair = Pair::new(database.folder.path(), "own");
    let [certificate, key] = pair.settings();
    let server = TestApp::start(database, &[certificate, key, BEHIND]).await;
    let base = server.base.replace("http://", "https://");
    let client = pair.client().build().unwrap();
    let document = client.get(format!("{base}/api/v1/openapi.json"));
    let plain = document.try_clone().unwrap().send().await.unwrap();
    assert_eq!(plain.status().as_u16(), 403);
    let vouched = document.header("X-Forwarded-Proto", "https");
    assert_eq!(vouched.send().await.unwrap().status().as_u16(), 200);
}

#[tokio::test]
async fn listening_outside_loopback_requires_tls() {
    for exposed in ["0.0.0.0:0", "[::]:0", "[::ffff:127.0.0.1]:0"] {
        let listen = ("COUNTINGHOUSE_LISTEN", exposed);
        let database = Database::sqlite();
        refused(&start(&database, &[listen]), "COUNTINGHOUSE_LISTEN");
    }
    let database = Database::sqlite();
    let pair = Pair::new(database.folder.path(), "own");
    let everywhere = ("COUNTINGHOUSE_LISTEN", "0.0.0.0:0");
    let [certificate, key] = pair.settings();
    for with in [vec![everywhere, BEHIND], vec![everywhere, certificate, key]] {
        let server = TestApp::start(Database::sqlite(), &with).await;
        assert!(server.base.starts_with("http://0.0.0.0:"), "{}", server.base);
    }
}
