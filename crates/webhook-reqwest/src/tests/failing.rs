//! Failed connections, and the messages of their failures.

use tokio::net::TcpListener;
use webhooks::{SendError, TargetGuard, WebhookSender};

use super::authority::{AUTHORITY, Authority};
use super::server::{OnConnect, OnRequest, Server};
use super::{LONG, Table, client, failure, send, url};
use crate::guard::AddressGuard;
use crate::{Client, Reach};

async fn failure_with(on_connect: OnConnect) -> String {
    let server = Server::start_at("127.0.0.1:0", on_connect, OnRequest::Hang(Vec::new())).await;
    let what = failure(send(&client(), server.port(), LONG).await);
    // Nothing was sent to a server that could not prove its identity.
    assert_eq!(server.requests(), Vec::<String>::new());
    what
}

#[tokio::test]
async fn certificates_are_checked() {
    let now = (2020, 4000);
    for (authority, name, years, expected) in [
        (&Authority::new(), "hooks.example", now, "issuer is not trusted"),
        (&*AUTHORITY, "hooks.example", (2010, 2020), "has expired"),
        (&*AUTHORITY, "hooks.example", (3999, 4000), "is not valid yet"),
        (&*AUTHORITY, "other.example", now, "is not for this host name"),
        (&*AUTHORITY, "127.0.0.1", now, "is not for this host name"),
    ] {
        let what = failure_with(OnConnect::Tls(authority.server(name, years))).await;
        assert!(what.starts_with("TLS failed: the certificate"), "{what}");
        assert!(what.contains(expected), "{what}");
    }
}

#[tokio::test]
async fn certificate_of_an_authority_itself_is_refused_in_plain_words() {
    let what = failure_with(OnConnect::Tls(AUTHORITY.as_server())).await;
    let expected = "TLS failed: the certificate is a certificate authority's own: have that authority sign one for this host name";
    assert_eq!(what, expected);
}

#[tokio::test]
async fn certificate_of_an_address_is_accepted() {
    let tls = OnConnect::Tls(AUTHORITY.server("127.0.0.1", (2020, 4000)));
    let response = OnRequest::Respond(b"HTTP/1.1 204 No Content\r\n\r\n".into());
    let server = Server::start_at("127.0.0.1:0", tls, response).await;
    let target = url(&format!("https://127.1:{}/", server.port()));
    let sent = client().send(&target, "{}", "c2ln", LONG).await;
    assert_eq!(sent.map(|response| response.status), Ok(204));
}

#[tokio::test]
async fn port_without_tls_has_its_own_error() {
    let plain = failure_with(OnConnect::Plain).await;
    assert_eq!(plain, "TLS failed: the port does not speak TLS");
    let closed = failure_with(OnConnect::CloseAtOnce).await;
    assert!(closed.contains("ended the connection"), "{closed}");
}

#[tokio::test]
async fn closed_port_and_unknown_name_have_their_own_errors() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let sent = send(&client(), port, LONG).await;
    assert_eq!(failure(sent), "the connection was refused");
    for name in ["unknown.example", "unknown"] {
        let target = url(&format!("https://{name}/"));
        let sent = client().send(&target, "{}", "c2ln", LONG).await;
        assert_eq!(failure(sent), "the host name does not resolve");
    }
}

#[tokio::test]
async fn private_address_is_never_connected_to() {
    let server = Server::start(OnRequest::Hang(Vec::new())).await;
    let port = server.port();
    let names = Table::with("hooks.example", &["127.0.0.1"]);
    names.set("mixed.example", &["1.1.1.1", "127.0.0.1"]);
    names.set("mapped.example", &["::ffff:127.0.0.1"]);
    names.set("hooks.localhost", &["1.1.1.1"]);
    names.set("localhost", &["1.1.1.1"]);
    let guard = AddressGuard::new(Reach::Public, names);
    let client = Client::guarded_by(guard, Some(AUTHORITY.pem())).unwrap();
    for host in [
        "hooks.example", "mixed.example", "mapped.example", "hooks.localhost", "localhost", "LOCALHOST.",
        "127.0.0.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0",
    ] {
        let target = url(&format!("https://{host}:{port}/"));
        let sent = client.send(&target, "{}", "c2ln", LONG).await;
        let expected = "the target leads to an address that is not public";
        assert_eq!(sent, Err(SendError::Failed(expected.to_owned())), "{host}");
        assert!(client.check(&target).await.is_err(), "{host}");
    }
    assert_eq!(server.connections(), 0);
}
