//! The outcomes of calls, tested against servers on local ports.
#![expect(clippy::unwrap_used, reason = "a test that is wrong should stop there")]

use std::sync::Arc;
use std::time::Duration;

use https_client::{CallError, CallLimits, HttpsClient, Response};
use reqwest::Url;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

const LIMITS: CallLimits = CallLimits {
    connecting: Duration::from_millis(300),
    call: Duration::from_millis(900),
    max_response_bytes: 20,
    reuse_connections: false,
};

/// Reads a request's head and sends a response; then closes the connection.
async fn respond(mut stream: impl AsyncRead + AsyncWrite + Unpin, with: &str) {
    let mut head = Vec::new();
    while !head.windows(4).any(|four| four == b"\r\n\r\n") {
        if stream.read_buf(&mut head).await.unwrap_or(0) == 0 {
            return;
        }
    }
    // The client may be gone.
    let _sent = stream.write_all(with.as_bytes()).await;
    let _closed = stream.shutdown().await;
}

/// The URL of a server that sends this response to every request.
async fn server(with: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(respond(stream, with));
        }
    });
    address.to_string()
}

async fn call(url: &str) -> Result<Response, CallError> {
    let client = HttpsClient::new(LIMITS, None).unwrap();
    client.send(client.get(Url::parse(url).unwrap())).await
}

#[tokio::test]
async fn answer_is_read_whatever_its_status_and_no_redirect_is_followed() {
    let elsewhere = "HTTP/1.1 302 Found\r\nLocation: /secret\r\nContent-Length: 2\r\n\r\nno";
    let response = call(&format!("http://{}/", server(elsewhere).await)).await.unwrap();
    assert_eq!((response.status.as_u16(), &*response.body), (302, b"no".as_slice()));
    assert_eq!(response.headers["location"], "/secret");
}

#[tokio::test]
async fn answer_without_a_whole_body_still_has_its_status() {
    let large = server("HTTP/1.1 201 Created\r\nContent-Length: 21\r\n\r\n123456789012345678901").await;
    let error = call(&format!("http://{large}/")).await.unwrap_err();
    assert!(matches!(error, CallError::TooLarge { max_bytes: 20, .. }), "{error:?}");
    assert_eq!(error.status().unwrap().as_u16(), 201);
    let short = server("HTTP/1.1 503 -\r\nContent-Length: 9\r\n\r\n1234").await;
    let error = call(&format!("http://{short}/")).await.unwrap_err();
    assert!(matches!(error, CallError::BrokenOff { .. }), "{error:?}");
    assert_eq!(error.status().unwrap().as_u16(), 503);
}

#[tokio::test]
async fn request_that_may_have_arrived_is_told_from_one_that_was_not_sent() {
    let closing = server("").await;
    let error = call(&format!("http://{closing}/secret")).await.unwrap_err();
    assert!(matches!(error, CallError::NoResponse(_)), "{error:?}");
    assert!(!format!("{error:?}").contains("secret"));

    // The system accepts the connections, and nothing ever responds on them.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent_at = silent.local_addr().unwrap();
    let error = call(&format!("http://{silent_at}/")).await.unwrap_err();
    assert!(matches!(error, CallError::NoResponse(_)), "{error:?}");
    // An unfinished TLS handshake ends with the time limit for connecting.
    let error = call(&format!("https://{silent_at}/")).await.unwrap_err();
    assert!(matches!(error, CallError::NotSent(_)), "{error:?}");

    drop(silent);
    let error = call(&format!("http://{silent_at}/")).await.unwrap_err();
    assert!(matches!(error, CallError::NotSent(_)), "{error:?}");
    // A server without TLS gets no request over https.
    let error = call(&format!("https://{closing}/")).await.unwrap_err();
    assert!(matches!(error, CallError::NotSent(_)), "{error:?}");
}

#[tokio::test]
async fn certificate_is_trusted_that_only_the_extra_authorities_vouch_for() {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://localhost:{}/", listener.local_addr().unwrap().port());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if let Ok(stream) = acceptor.accept(stream).await {
                respond(stream, "HTTP/1.1 204 -\r\n\r\n").await;
            }
        }
    });
    let error = call(&url).await.unwrap_err();
    assert!(matches!(error, CallError::NotSent(_)), "{error:?}");
    let trusting = HttpsClient::new(LIMITS, Some(made.cert.pem().as_bytes())).unwrap();
    let response = trusting.send(trusting.get(Url::parse(&url).unwrap())).await.unwrap();
    assert_eq!(response.status.as_u16(), 204);
}
