//! The request that is sent, and the part of the response that is kept.

use webhooks::{DeliveryAttempt, ReceiverResponse, SendError, WebhookSender};

use super::server::{OnRequest, Server};
use super::{LONG, client, failure, send, url};

const NOT_HTTP: &str = "the response is not HTTP, or its headers are too large";

fn received(status: u16, body: &str) -> ReceiverResponse {
    ReceiverResponse { status, body: body.as_bytes().to_vec() }
}

#[tokio::test]
async fn every_http_response_is_returned() {
    for (response, expected) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nthanks", received(200, "thanks")),
        ("HTTP/1.1 204 No Content\r\n\r\n", received(204, "")),
        (
            "HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nsor\r\n2\r\nry\r\n0\r\n\r\n",
            received(500, "sorry"),
        ),
        ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\ngzip", received(200, "gzip")),
        (
            "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n",
            received(202, ""),
        ),
    ] {
        let server = Server::start(OnRequest::Respond(response.into())).await;
        let sent = send(&client(), server.port(), LONG).await;
        assert_eq!(sent, Ok(expected), "{response}");
    }
}

#[tokio::test]
async fn redirect_is_not_followed() {
    let elsewhere = Server::start(OnRequest::Respond(b"HTTP/1.1 200 OK\r\n\r\n".into())).await;
    for status in [301, 302, 303, 307, 308] {
        let response = format!(
            "HTTP/1.1 {status} There\r\nLocation: https://hooks.example:{}/\r\nContent-Length: 0\r\n\r\n",
            elsewhere.port()
        );
        let server = Server::start(OnRequest::Respond(response.into())).await;
        let sent = send(&client(), server.port(), LONG).await;
        assert_eq!(sent, Ok(received(status, "")));
        assert_eq!(server.requests().len(), 1);
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn request_has_the_headers_of_the_contract() {
    let response = b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n";
    let server = Server::start(OnRequest::Respond(response.into())).await;
    let port = server.port();
    let target = url(&format!("https://hooks.example:{port}/a/../b?c=d%20e#f"));
    let (client, body) = (client(), r#"{"events":[{"name":"Zoë"}]}"#);
    for _ in 0..2 {
        let sent = client.send(&target, body, "c2lnbmF0dXJl+/==", LONG).await;
        assert_eq!(sent, Ok(received(200, "")));
    }
    let expected = format!(
        "POST /b?c=d%20e HTTP/1.1\r\n\
         Content-Type: application/json\r\n\
         Service-Signature: c2lnbmF0dXJl+/==\r\n\
         User-Agent: Service-Webhooks/1.0\r\n\
         Accept: */*\r\n\
         Host: hooks.example:{port}\r\n\
         Content-Length: 28\r\n\r\n{body}"
    );
    // The second request has no cookie and no referer.
    assert_eq!(server.requests(), [expected.clone(), expected]);
}

#[tokio::test]
async fn long_body_is_cut() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: ";
    for length in [2_047, 2_048, 2_049, 60_000] {
        let body = "x".repeat(length);
        let response = format!("{head}{length}\r\n\r\n{body}");
        let server = Server::start(OnRequest::Respond(response.into())).await;
        let client = client();
        for _ in 0..2 {
            let sent = send(&client, server.port(), LONG).await.unwrap();
            assert_eq!(sent.body.len(), length.min(DeliveryAttempt::MAX_BODY));
        }
        // The unkept rest of a short body was read nevertheless, so the connection was reused.
        assert_eq!(server.connections(), 1, "{length}");
    }
}

#[tokio::test]
async fn endless_body_is_not_read_to_its_end() {
    let chunk = [b"1000\r\n".as_slice(), &[b'x'; 4_096], b"\r\n"].concat();
    let ten_gib = b"HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n";
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let closing = b"HTTP/1.1 200 OK\r\n\r\n";
    for on_request in [
        OnRequest::Repeat(ten_gib.into(), vec![b'x'; 65_536]),
        OnRequest::Repeat(chunked.into(), chunk),
        OnRequest::Repeat(closing.into(), vec![b'x'; 65_536]),
        OnRequest::Hang([ten_gib.as_slice(), &[b'x'; 2_048]].concat()),
    ] {
        let server = Server::start(on_request).await;
        let sent = send(&client(), server.port(), LONG).await.unwrap();
        assert_eq!(sent.body, vec![b'x'; DeliveryAttempt::MAX_BODY]);
        server.ended(1).await;
    }
}

#[tokio::test]
async fn body_that_ends_with_its_connection_needs_no_close_notify() {
    for on_request in [OnRequest::Close, OnRequest::Leave] {
        let server = Server::start(on_request(b"HTTP/1.0 200 OK\r\n\r\nthanks".into())).await;
        let sent = send(&client(), server.port(), LONG).await;
        assert_eq!(sent, Ok(received(200, "thanks")));
    }
}

#[tokio::test]
async fn broken_off_response_is_a_failure_with_what_came_of_it() {
    let stated = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf";
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf";
    for start in [stated.as_slice(), chunked] {
        for on_request in [OnRequest::Close, OnRequest::Leave] {
            let server = Server::start(on_request(start.into())).await;
            let sent = send(&client(), server.port(), LONG).await;
            assert_eq!(sent, Err(SendError::BrokeOff(received(200, "half"))));
        }
    }
    for start in [b"".as_slice(), b"HTTP/1.1 200 OK\r\nContent-"] {
        for on_request in [OnRequest::Close, OnRequest::Leave] {
            let server = Server::start(on_request(start.into())).await;
            let sent = send(&client(), server.port(), LONG).await;
            let what = "the connection broke off before a response came";
            assert_eq!(failure(sent), what);
        }
    }
}

#[tokio::test]
async fn response_that_is_not_http_is_a_failure() {
    let server = Server::start(OnRequest::Respond(b"220 mail.example ESMTP\r\n\r\n".into())).await;
    let sent = send(&client(), server.port(), LONG).await;
    assert_eq!(failure(sent), NOT_HTTP);

    let header = format!("X-More: {}\r\n", "x".repeat(10_000));
    let endless = OnRequest::Repeat(b"HTTP/1.1 200 OK\r\n".into(), header.into());
    let server = Server::start(endless).await;
    let sent = send(&client(), server.port(), LONG).await;
    assert_eq!(failure(sent), NOT_HTTP);
    server.ended(1).await;

    let many = "X-More: x\r\n".repeat(101);
    let many = format!("HTTP/1.1 200 OK\r\n{many}\r\n");
    let server = Server::start(OnRequest::Respond(many.into())).await;
    let sent = send(&client(), server.port(), LONG).await;
    assert_eq!(failure(sent), NOT_HTTP);
}
