//! Connections without HTTP use the same guard and trust the same authorities.

use kernel::HttpsUrl;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::authority::{AUTHORITY, Authority};
use super::server::{OnConnect, OnRequest, Server};
use crate::{CallFault, Client, Reach};

fn url(text: &str) -> HttpsUrl {
    HttpsUrl::parse(text).unwrap()
}

fn client(reach: Reach) -> Client {
    Client::new(reach, Some(AUTHORITY.pem())).unwrap()
}

/// A server for the name `localhost`.
async fn localhost(on_connect: OnConnect) -> Server {
    Server::start_at("127.0.0.1:0", on_connect, OnRequest::Respond(b"HTTP/1.1 204 \r\n\r\n".to_vec())).await
}

#[tokio::test]
async fn connect_carries_bytes_both_ways() {
    let server = localhost(OnConnect::Tls(AUTHORITY.server("localhost", (2020, 4000)))).await;
    let target = url(&format!("https://localhost:{}/", server.port()));
    let mut wire = client(Reach::Anywhere).connect(&target).await.unwrap();
    wire.write_all(b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}").await.unwrap();
    wire.flush().await.unwrap();
    let mut response = [0; 12];
    wire.read_exact(&mut response).await.unwrap();
    assert_eq!(&response, b"HTTP/1.1 204");
    assert!(server.requests()[0].ends_with("{}"));
}

#[tokio::test]
async fn private_target_is_refused_by_connect() {
    let server = localhost(OnConnect::Silence).await;
    for host in ["localhost", "127.0.0.1", "[::1]"] {
        let target = url(&format!("https://{host}:{}/", server.port()));
        let refused = client(Reach::Public).connect(&target).await.err();
        assert_eq!(refused, Some(CallFault::NotPublic), "{host}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn connect_reports_the_same_faults_as_a_delivery() {
    let stranger = localhost(OnConnect::Tls(Authority::new().server("localhost", (2020, 4000)))).await;
    let other_name = localhost(OnConnect::Tls(AUTHORITY.server("hooks.example", (2020, 4000)))).await;
    let (plain, closing) = (localhost(OnConnect::Plain).await, localhost(OnConnect::CloseAtOnce).await);
    let at = |server: &Server| format!("https://localhost:{}/", server.port());
    for (target, fault) in [
        (at(&stranger), "issuer is not trusted"),
        (at(&other_name), "not for this host name"),
        (at(&plain), "does not speak TLS"),
        (at(&closing), "ended the connection during the handshake"),
        ("https://nobody.invalid/".to_owned(), "does not resolve"),
        // Nothing listens on this port: the lowest one is never assigned.
        ("https://127.0.0.1:1/".to_owned(), "refused"),
    ] {
        let failed = client(Reach::Anywhere).connect(&url(&target)).await.err();
        let said = failed.unwrap().to_string();
        assert!(said.contains(fault), "{target}: {said}");
    }
}
