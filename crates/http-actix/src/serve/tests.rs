//! What only a real connection shows.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::*;
use crate::testing::House;

fn start(house: &House) -> (SocketAddr, actix_web::dev::ServerHandle) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = serve(house.front.clone(), listener, None, 1).unwrap();
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
    house.front.deadline = Duration::from_millis(50);
    let (address, handle) = start(&house);
    let head = post(&house, "Content-Length: 100\r\n");
    let answer = talk(address, &head, b"{", 1).await;
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert!(answer.contains("x-ratelimit-limit: 30"), "{answer}");
    handle.stop(false).await;
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
