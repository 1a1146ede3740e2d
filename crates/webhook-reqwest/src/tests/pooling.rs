//! Connections are reused, and pooling does not bypass the guard.

use std::net::{IpAddr, Ipv4Addr};

use webhooks::WebhookSender;

use super::authority::AUTHORITY;
use super::server::{OnConnect, OnRequest, Server};
use super::{LONG, Table, client, failure, send, url};
use crate::guard::AddressGuard;
use crate::{Client, Reach};

#[tokio::test]
async fn connection_is_reused() {
    let response = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    let server = Server::start(OnRequest::Respond(response.into())).await;
    let client = client();
    for _ in 0..5 {
        assert!(send(&client.clone(), server.port(), LONG).await.is_ok());
    }
    assert_eq!((server.connections(), server.requests().len()), (1, 5));
}

#[tokio::test]
async fn name_that_becomes_private_gets_no_new_connection() {
    // For this test 127.0.0.1 is public, and 127.0.0.2 is not.
    let is_public = |address: IpAddr| address == IpAddr::V4(Ipv4Addr::LOCALHOST);
    let names = Table::with("hooks.example", &["127.0.0.1"]);
    let guard = AddressGuard::new(Reach::Public, names.clone()).with_public(is_public);
    let client = Client::guarded_by(guard, Some(AUTHORITY.pem())).unwrap();

    let last = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let outside = Server::start(OnRequest::Respond(last.into())).await;
    let port = outside.port();
    let tls = OnConnect::Tls(AUTHORITY.server("hooks.example", (2020, 4000)));
    let address = format!("127.0.0.2:{port}");
    let inside = Server::start_at(&address, tls, OnRequest::Close(last.into())).await;

    assert!(send(&client, port, LONG).await.is_ok());
    for now in [&["127.0.0.2"][..], &["127.0.0.1", "127.0.0.2"]] {
        names.set("hooks.example", now);
        let sent = send(&client, port, LONG).await;
        assert!(failure(sent).contains("not public"));
    }
    names.set("hooks.example", &["127.0.0.1"]);
    assert!(send(&client, port, LONG).await.is_ok());
    let target = url(&format!("https://127.0.0.2:{port}/"));
    let sent = client.send(&target, "{}", "c2ln", LONG).await;
    assert!(failure(sent).contains("not public"));
    assert_eq!((outside.connections(), inside.connections()), (2, 0));
}

#[tokio::test]
async fn open_connection_keeps_its_checked_address() {
    let is_public = |address: IpAddr| address == IpAddr::V4(Ipv4Addr::LOCALHOST);
    let names = Table::with("hooks.example", &["127.0.0.1"]);
    let guard = AddressGuard::new(Reach::Public, names.clone()).with_public(is_public);
    let client = Client::guarded_by(guard, Some(AUTHORITY.pem())).unwrap();
    let response = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let outside = Server::start(OnRequest::Respond(response.into())).await;

    assert!(send(&client, outside.port(), LONG).await.is_ok());
    names.set("hooks.example", &["10.0.0.1"]);
    assert!(send(&client, outside.port(), LONG).await.is_ok());
    assert_eq!(outside.connections(), 1);
}
