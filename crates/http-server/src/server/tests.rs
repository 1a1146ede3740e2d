//! Tests that need a real connection.

use std::collections::HashSet;
use std::io::{Read as _, Write as _};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actix_web::dev::ServerHandle;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::*;
use crate::test_app::{TestApp, routes};

/// How many shutdowns under load are tested.
const SHUTDOWNS: usize = 3;

fn start(app: &TestApp) -> (SocketAddr, ServerHandle) {
    let (address, handle, _) = start_with_listener(app);
    (address, handle)
}

fn start_with_listener(app: &TestApp) -> (SocketAddr, ServerHandle, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let clone = listener.try_clone().unwrap();
    let server = serve(app.state.clone(), listener, None, 1, routes).unwrap();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    (address, handle, clone)
}

/// Sends the head and then a piece of body `times` times, or until the connection is closed; returns the
/// response.
async fn exchange(address: SocketAddr, head: &str, piece: &[u8], times: usize) -> String {
    let (mut read, mut write) = TcpStream::connect(address).await.unwrap().into_split();
    let (head, piece) = (head.to_owned(), piece.to_vec());
    let sending = actix_web::rt::spawn(async move {
        write.write_all(head.as_bytes()).await.unwrap();
        for _ in 0..times {
            if write.write_all(&piece).await.is_err() {
                break;
            }
        }
        write
    });
    let mut response = Vec::new();
    let mut buffer = [0; 4_096];
    while !is_whole(&response) {
        match read.read(&mut buffer).await {
            Ok(0) | Err(_) => break,
            Ok(count) => response.extend_from_slice(&buffer[..count]),
        }
    }
    sending.await.unwrap();
    String::from_utf8(response).unwrap()
}

fn is_whole(response: &[u8]) -> bool {
    response.ends_with(b"}}")
}

fn post(path: &str, more: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: books\r\n{more}\r\n")
}

#[actix_web::test]
async fn announced_body_that_is_too_large_is_answered_while_it_is_sent() {
    let (address, handle) = start(&TestApp::new());
    let head = post("/reading", "Content-Length: 8388608\r\n");
    let response = exchange(address, &head, &[b'x'; 65_536], 128).await;
    assert!(response.starts_with("HTTP/1.1 413 "), "{response}");
    assert!(response.contains("PAYLOAD_TOO_LARGE"), "{response}");
    handle.stop(false).await;
}

#[actix_web::test]
async fn chunked_body_that_is_too_large_is_answered_while_it_is_sent() {
    let (address, handle) = start(&TestApp::new());
    let head = post("/reading", "Transfer-Encoding: chunked\r\n");
    let mut chunk = b"10000\r\n".to_vec();
    chunk.extend_from_slice(&[b'x'; 65_536]);
    chunk.extend_from_slice(b"\r\n");
    let response = exchange(address, &head, &chunk, 128).await;
    assert!(response.starts_with("HTTP/1.1 413 "), "{response}");
    handle.stop(false).await;
}

#[actix_web::test]
async fn body_that_never_comes_ends_with_the_deadline() {
    let mut app = TestApp::new();
    app.state.deadline = Duration::from_millis(50);
    let (address, handle) = start(&app);
    let head = post("/reading", "Content-Length: 100\r\n");
    let response = exchange(address, &head, b"{", 1).await;
    assert!(response.starts_with("HTTP/1.1 503 "), "{response}");
    handle.stop(false).await;
}

#[cfg(target_os = "linux")]
#[actix_web::test]
async fn connection_of_which_nothing_is_read_is_closed_by_the_kernel() {
    let (address, handle, listener) = start_with_listener(&TestApp::new());
    handle.stop(false).await;
    // Connections have the setting of their listener.
    listener.set_nonblocking(false).unwrap();
    let client = std::net::TcpStream::connect(address).unwrap();
    let (connection, _) = listener.accept().unwrap();
    let limit = socket2::SockRef::from(&connection).tcp_user_timeout().unwrap();
    assert_eq!(limit, Some(UNREAD_RESPONSE));
    drop(client);
}

#[actix_web::test]
async fn body_of_unknown_length_ends_with_the_connection_over_http_1_0() {
    let (address, handle) = start(&TestApp::new());
    let get = async |version: &str, connection: &str| {
        let head =
            format!("GET /streaming HTTP/{version}\r\nHost: books\r\nConnection: {connection}\r\n\r\n");
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).await.unwrap();
        response
    };
    for connection in ["close", "keep-alive"] {
        let response = get("1.0", connection).await;
        assert!(response.starts_with("HTTP/1.0 200 "), "{response}");
        assert!(!response.contains("transfer-encoding"), "{response}");
        assert!(response.ends_with("\r\n\r\nin pieces"), "{response}");
    }
    let chunked = get("1.1", "close").await;
    assert!(chunked.contains("transfer-encoding: chunked\r\n"), "{chunked}");
    handle.stop(false).await;
}

#[actix_web::test]
async fn shutdown_closes_connections_behind_their_answers() {
    let app = TestApp::new();
    let (address, handle, listener) = start_with_listener(&app);
    let head = "GET /nothing HTTP/1.1\r\nHost: books\r\n\r\n";
    let before = exchange(address, head, b"", 0).await;
    assert!(!before.contains("connection: close"), "{before}");
    let mut idle = TcpStream::connect(address).await.unwrap();
    let shutdown = app.state.shutdown.clone();
    let preparing = actix_web::rt::spawn(async move { shutdown.prepare(listener).await });
    while !app.state.shutdown.has_begun() {
        tokio::task::yield_now().await;
    }
    idle.write_all(head.as_bytes()).await.unwrap();
    let mut response = String::new();
    // Reads to the end of the connection, which the server closes after its response.
    idle.read_to_string(&mut response).await.unwrap();
    assert!(response.starts_with("HTTP/1.1 404 "), "{response}");
    assert!(response.contains("connection: close\r\n"), "{response}");
    preparing.await.unwrap();
    handle.stop(true).await;
}

/// Clients open a connection for each request while the server stops. Every established connection gets a
/// response.
#[cfg(target_os = "linux")]
#[actix_web::test]
async fn shutdown_resets_no_established_connection() {
    for _ in 0..SHUTDOWNS {
        let app = TestApp::new();
        let (address, handle, listener) = start_with_listener(&app);
        let clients: Vec<_> =
            (0..16).map(|_| std::thread::spawn(move || unanswered_connections(address))).collect();
        app.state.shutdown.prepare(listener).await;
        handle.stop(true).await;
        for client in clients {
            let unanswered = actix_web::rt::task::spawn_blocking(|| client.join().unwrap());
            assert_eq!(unanswered.await.unwrap(), 0);
        }
    }
}

/// Sends requests until no more connections can be established; returns how many established ones got no
/// response.
fn unanswered_connections(address: SocketAddr) -> usize {
    let mut unanswered = 0;
    while let Ok(mut stream) = std::net::TcpStream::connect_timeout(&address, Duration::from_millis(500)) {
        let mut response = Vec::new();
        let sent = stream.write_all(b"GET /nothing HTTP/1.1\r\nHost: books\r\nConnection: close\r\n\r\n");
        let read = sent.and_then(|()| stream.read_to_end(&mut response));
        if read.is_err() || !response.starts_with(b"HTTP/1.1 404 ") {
            unanswered += 1;
        }
    }
    unanswered
}

#[actix_web::test]
async fn head_has_the_length_of_the_body_and_no_body() {
    let (address, handle) = start(&TestApp::new());
    let head = "HEAD /health/live HTTP/1.1\r\nHost: books\r\nConnection: close\r\n\r\n";
    let response = exchange(address, head, b"", 0).await;
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    assert!(response.contains("content-length: 17\r\n"), "{response}");
    assert!(response.ends_with("\r\n\r\n"), "{response}");
    handle.stop(false).await;
}

/// Sends the head and then a chunk after each pause until the server closes the connection. Returns its
/// response, and how many bytes were sent to it.
async fn keep_sending(address: SocketAddr, head: &str, chunk: usize, pause: Duration) -> (String, usize) {
    let (mut read, mut write) = TcpStream::connect(address).await.unwrap().into_split();
    write.write_all(head.as_bytes()).await.unwrap();
    let mut piece = format!("{chunk:x}\r\n").into_bytes();
    piece.resize(piece.len() + chunk, b'x');
    piece.extend(b"\r\n");
    let sending = actix_web::rt::spawn(async move {
        let mut sent = 0;
        while sent < 256 * 1_024 * 1_024 && write.write_all(&piece).await.is_ok() {
            sent += chunk;
            tokio::time::sleep(pause).await;
        }
        sent
    });
    let mut response = Vec::new();
    // A reset may come after the response instead of an orderly end.
    read.read_to_end(&mut response).await.ok();
    (String::from_utf8(response).unwrap(), sending.await.unwrap())
}

#[actix_web::test]
async fn slow_sending_behind_the_answer_is_cut_off() {
    let mut app = TestApp::new();
    app.state.deadline = Duration::from_millis(300);
    let (address, handle) = start(&app);
    let chunked = "Transfer-Encoding: chunked\r\n";
    for (head, status) in [
        (post("/refusing", chunked), 401),
        (post("/refusing", &format!("Connection: close\r\n{chunked}")), 401),
        (post("/refusing", "Content-Length: 100000\r\n"), 401),
        (post("/health/live", chunked).replace("POST", "GET"), 200),
        (post("/reading", chunked), 503),
    ] {
        let sending = keep_sending(address, &head, 1, Duration::from_millis(20));
        let (response, _) =
            tokio::time::timeout(Duration::from_secs(4), sending).await.expect("closed by then");
        let expected = format!("HTTP/1.1 {status} ");
        assert!(response.starts_with(&expected), "{response}");
        assert!(response.contains("connection: close\r\n"), "{response}");
    }
    handle.stop(false).await;
}

#[actix_web::test]
async fn fast_sending_behind_the_answer_is_cut_off() {
    let (address, handle) = start(&TestApp::new());
    for more in ["Transfer-Encoding: chunked\r\n", "Content-Length: 9999999999\r\n"] {
        let head = post("/refusing", more);
        let (response, sent) = keep_sending(address, &head, 65_536, Duration::ZERO).await;
        let expected = response.starts_with("HTTP/1.1 401 ") || response.is_empty();
        assert!(expected, "{response}");
        // Some of the bytes are in the buffers of the sockets.
        assert!(sent < 64 * 1_024 * 1_024, "{sent}");
    }
    handle.stop(false).await;
}

#[actix_web::test]
async fn connection_is_kept_after_a_body_that_was_read() {
    let (address, handle) = start(&TestApp::new());
    let mut connection = TcpStream::connect(address).await.unwrap();
    for _ in 0..2 {
        let head = post("/reading", "Transfer-Encoding: chunked\r\n");
        connection.write_all(head.as_bytes()).await.unwrap();
        connection.write_all(b"4\r\n{\"a\"\r\n0\r\n\r\n").await.unwrap();
        let mut response = Vec::new();
        while !is_whole(&response) {
            assert_ne!(connection.read_buf(&mut response).await.unwrap(), 0);
        }
        let response = String::from_utf8(response).unwrap();
        assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
        assert!(!response.contains("connection: close"), "{response}");
    }
    handle.stop(false).await;
}

#[actix_web::test]
async fn routes_are_configured_once_in_each_worker_thread() {
    let threads = Arc::new(Mutex::new(HashSet::new()));
    let configured = threads.clone();
    let routes = move |_: &mut ServiceConfig| {
        let thread = std::thread::current().id();
        assert!(configured.lock().unwrap().insert(thread));
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = serve(TestApp::new().state, listener, None, 3, routes).unwrap();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    while threads.lock().unwrap().len() < 3 {
        tokio::task::yield_now().await;
    }
    assert!(!threads.lock().unwrap().contains(&std::thread::current().id()));
    handle.stop(false).await;
}
