//! What only a real connection shows.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::*;
use crate::testing::House;

fn start(house: &House) -> (SocketAddr, actix_web::dev::ServerHandle) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let state = house.state.clone();
    let server = serve(move || state.clone(), listener, None, 1).unwrap();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    (address, handle)
}

/// Sends the head, then a piece of body again and again until somebody has had enough, and reads what comes back.
async fn talk(address: SocketAddr, head: &str, piece: &[u8], times: usize) -> String {
    let (mut read, mut write) = TcpStream::connect(address).await.unwrap().into_split();
    let head = head.to_owned();
    let piece = piece.to_vec();
    let sending = actix_web::rt::spawn(async move {
        write.write_all(head.as_bytes()).await.unwrap();
        for _ in 0..times {
            if write.write_all(&piece).await.is_err() {
                break;
            }
        }
        write
    });
    let mut answer = Vec::new();
    let mut buffer = [0; 4_096];
    while !is_whole(&answer) {
        match read.read(&mut buffer).await {
            Ok(0) | Err(_) => break,
            Ok(count) => answer.extend_from_slice(&buffer[..count]),
        }
    }
    sending.await.unwrap();
    String::from_utf8(answer).unwrap()
}

fn is_whole(answer: &[u8]) -> bool {
    answer.ends_with(b"}}")
}

fn post(house: &House, more: &str) -> String {
    let key = &house.account_key;
    format!(
        "POST /api/v1/invoices HTTP/1.1\r\nHost: books\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n{more}\r\n"
    )
}

#[actix_web::test]
async fn whoever_announces_too_much_still_gets_the_answer() {
    let house = House::new();
    let (address, handle) = start(&house);
    let head = post(&house, "Content-Length: 8388608\r\n");
    let answer = talk(address, &head, &[b'x'; 65_536], 128).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert!(answer.contains("PAYLOAD_TOO_LARGE"), "{answer}");
    handle.stop(false).await;
}

#[actix_web::test]
async fn whoever_streams_too_much_still_gets_the_answer() {
    let house = House::new();
    let (address, handle) = start(&house);
    let head = post(&house, "Transfer-Encoding: chunked\r\n");
    let mut chunk = b"10000\r\n".to_vec();
    chunk.extend_from_slice(&[b'x'; 65_536]);
    chunk.extend_from_slice(b"\r\n");
    let answer = talk(address, &head, &chunk, 128).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    handle.stop(false).await;
}

#[actix_web::test]
async fn a_body_that_never_comes_ends_with_the_deadline() {
    let mut house = House::new();
    house.state.deadline = Duration::from_millis(50);
    let (address, handle) = start(&house);
    let head = post(&house, "Content-Length: 100\r\n");
    let answer = talk(address, &head, b"{", 1).await;
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert!(answer.contains("x-ratelimit-limit: 30"), "{answer}");
    handle.stop(false).await;
}

#[actix_web::test]
async fn a_server_that_takes_its_leave_says_so_with_every_answer_and_serves_whoever_has_come() {
    let house = House::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let door = listener.try_clone().unwrap();
    let shutdown = house.state.shutdown.clone();
    let state = house.state.clone();
    let server = serve(move || state.clone(), listener, None, 1).unwrap();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    let head = "GET /api/v1/nothing HTTP/1.1\r\nHost: books\r\n\r\n";
    let before = talk(address, head, b"", 0).await;
    assert!(!before.contains("connection: close"), "{before}");
    let mut kept = TcpStream::connect(address).await.unwrap();
    let saying = actix_web::rt::spawn(async move { shutdown.say(door).await });
    while !house.state.shutdown.is_being_said() {
        tokio::task::yield_now().await;
    }
    kept.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    // To the end of the connection, which the server closes behind its answer.
    kept.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    assert!(answer.contains("connection: close\r\n"), "{answer}");
    saying.await.unwrap();
    handle.stop(true).await;
}

#[actix_web::test]
async fn head_has_the_length_of_the_body_and_no_body() {
    let house = House::new();
    let (address, handle) = start(&house);
    let head = "HEAD /health/live HTTP/1.1\r\nHost: books\r\nConnection: close\r\n\r\n";
    let answer = talk(address, head, b"", 0).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(answer.contains("content-length: 17\r\n"), "{answer}");
    assert!(answer.ends_with("\r\n\r\n"), "{answer}");
    handle.stop(false).await;
}

/// Sends the head and then a chunk after each pause until the server has closed the connection. Says what it answered, and how
/// many bytes it was sent.
async fn go_on_sending(
    address: SocketAddr,
    head: &str,
    chunk: usize,
    pause: Duration,
) -> (String, usize) {
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
    let mut answer = Vec::new();
    // A reset may come before the end, and after the answer.
    read.read_to_end(&mut answer).await.ok();
    (String::from_utf8(answer).unwrap(), sending.await.unwrap())
}

const STRANGER: &str = "POST /api/v1/contacts HTTP/1.1\r\nHost: books\r\n";

#[actix_web::test]
async fn whoever_drips_behind_its_answer_is_hung_up_on() {
    let mut house = House::new();
    house.state.deadline = Duration::from_millis(300);
    let (address, handle) = start(&house);
    let known = post(&house, "Transfer-Encoding: chunked\r\n");
    for (head, status) in [
        (format!("{STRANGER}Transfer-Encoding: chunked\r\n\r\n"), 401),
        (
            format!("{STRANGER}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"),
            401,
        ),
        (format!("{STRANGER}Content-Length: 100000\r\n\r\n"), 401),
        (
            "GET /health/live HTTP/1.1\r\nHost: books\r\nTransfer-Encoding: chunked\r\n\r\n"
                .to_owned(),
            200,
        ),
        (known.replace("application/json", "text/plain"), 415),
        (known, 503),
    ] {
        let talk = go_on_sending(address, &head, 1, Duration::from_millis(20));
        let (answer, _) = tokio::time::timeout(Duration::from_secs(4), talk)
            .await
            .expect("closed by then");
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{answer}"
        );
        assert!(answer.contains("connection: close\r\n"), "{answer}");
    }
    handle.stop(false).await;
}

#[actix_web::test]
async fn whoever_pours_behind_its_answer_is_hung_up_on() {
    let house = House::new();
    let (address, handle) = start(&house);
    for more in [
        "Transfer-Encoding: chunked\r\n",
        "Content-Length: 9999999999\r\n",
    ] {
        let head = format!("{STRANGER}{more}\r\n");
        let (answer, sent) = go_on_sending(address, &head, 65_536, Duration::ZERO).await;
        assert!(
            answer.starts_with("HTTP/1.1 401 ") || answer.is_empty(),
            "{answer}"
        );
        // The sockets' buffers hold some of it.
        assert!(sent < 64 * 1_024 * 1_024, "{sent}");
    }
    handle.stop(false).await;
}

#[actix_web::test]
async fn whoever_has_sent_all_is_answered_on_the_same_connection_again() {
    let house = House::new();
    let (address, handle) = start(&house);
    let body = "4\r\n{\"a\"\r\n0\r\n\r\n";
    let mut connection = TcpStream::connect(address).await.unwrap();
    for _ in 0..2 {
        let head = post(&house, "Transfer-Encoding: chunked\r\n");
        connection.write_all(head.as_bytes()).await.unwrap();
        connection.write_all(body.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        while !is_whole(&answer) {
            assert_ne!(connection.read_buf(&mut answer).await.unwrap(), 0);
        }
        let answer = String::from_utf8(answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
        assert!(!answer.contains("connection: close"), "{answer}");
    }
    handle.stop(false).await;
}

#[actix_web::test]
async fn state_is_made_once_in_each_worker_thread() {
    let house = House::new();
    let (threads, state) = (Arc::new(Mutex::new(HashSet::new())), house.state.clone());
    let made = threads.clone();
    let make_state = move || {
        assert!(made.lock().unwrap().insert(std::thread::current().id()));
        state.clone()
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = serve(make_state, listener, None, 3).unwrap();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    while threads.lock().unwrap().len() < 3 {
        tokio::task::yield_now().await;
    }
    assert!(
        !threads
            .lock()
            .unwrap()
            .contains(&std::thread::current().id())
    );
    handle.stop(false).await;
}
