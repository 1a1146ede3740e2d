//! Responses that come late or never. The time limits are small; what matters is on which side of them a
//! response comes.

use std::time::Duration;

use webhooks::{ReceiverResponse, SendError, WebhookSender};

use super::server::{OnConnect, OnRequest, Server};
use super::{LONG, SHORT, client, send, url};

#[tokio::test]
async fn response_within_the_time_limit_is_returned() {
    let response = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate";
    let server = Server::start(OnRequest::RespondLate(SHORT, response.into())).await;
    let late = ReceiverResponse { status: 200, body: b"late".into() };
    assert_eq!(send(&client(), server.port(), LONG).await, Ok(late));
}

#[tokio::test]
async fn limit_covers_the_whole_exchange() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n";
    let slow = "X-Slow: x\r\n".repeat(90);
    let slow = format!("HTTP/1.1 200 OK\r\n{slow}\r\n");
    for on_request in [
        OnRequest::Hang(Vec::new()),
        OnRequest::Hang(b"HTTP/1.1 200".into()),
        OnRequest::Trickle(slow.into()),
        OnRequest::Repeat(Vec::new(), b"HTTP/1.1 100 Continue\r\n\r\n".into()),
        OnRequest::RespondLate(LONG, head.into()),
    ] {
        let server = Server::start(on_request).await;
        let sent = send(&client(), server.port(), SHORT).await;
        assert_eq!(sent, Err(SendError::TimedOut(SHORT)));
    }
    for body in ["", "half"] {
        let server = Server::start(OnRequest::Hang([head.as_slice(), body.as_bytes()].concat())).await;
        let sent = send(&client(), server.port(), SHORT).await;
        let begun = ReceiverResponse { status: 200, body: body.into() };
        assert_eq!(sent, Err(SendError::Stalled(SHORT, begun)));
    }
    let mute = Server::start_at("127.0.0.1:0", OnConnect::Silence, OnRequest::Hang(Vec::new())).await;
    let sent = send(&client(), mute.port(), SHORT).await;
    assert_eq!(sent, Err(SendError::TimedOut(SHORT)));
    // The connection is closed with the request.
    mute.ended(1).await;
}

#[tokio::test]
async fn limit_covers_the_look_up() {
    let target = url("https://silent.example/");
    let sent = client().send(&target, "{}", "c2ln", SHORT).await;
    assert_eq!(sent, Err(SendError::TimedOut(SHORT)));
    let none = Duration::ZERO;
    let sent = client().send(&target, "{}", "c2ln", none).await;
    assert_eq!(sent, Err(SendError::TimedOut(none)));
}

#[tokio::test]
async fn response_is_complete_although_its_rest_hangs() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 2049\r\n\r\n";
    let server = Server::start(OnRequest::Hang([head.as_slice(), &[b'x'; 2_048]].concat())).await;
    let sent = send(&client(), server.port(), LONG).await.unwrap();
    assert_eq!(sent.body.len(), 2_048);
}
