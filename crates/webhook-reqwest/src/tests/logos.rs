//! The outcome of a logo's download, in words for the user who entered the URL.

use partner_accounts::{Logo, LogoFetchError, LogoSource as _};

use super::server::{OnRequest, Server};
use super::{LONG, SHORT, Table, client, url};
use crate::guard::AddressGuard;
use crate::{Client, LogoDownloads, Reach};

async fn fetched(on_request: OnRequest) -> Result<usize, LogoFetchError> {
    let server = Server::start(on_request.clone()).await;
    let target = url(&format!("https://hooks.example:{}/logo.png", server.port()));
    let limit = if matches!(on_request, OnRequest::Hang(_)) { SHORT } else { LONG };
    let downloads = LogoDownloads::new(client()).within(Logo::MAX_BYTES, limit);
    let bytes = downloads.fetch(&target).await?;
    Ok(bytes.len())
}

fn with_body(length: usize) -> OnRequest {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
    OnRequest::Respond([head.into_bytes(), vec![b'x'; length]].concat())
}

#[tokio::test]
async fn logo_of_a_megabyte_is_accepted_and_a_larger_one_is_not() {
    let most = Logo::MAX_BYTES;
    assert_eq!(fetched(with_body(most)).await, Ok(most));
    assert_eq!(fetched(with_body(most + 1)).await, Err(LogoFetchError::TooLarge));
    let unstated = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
    let endless = OnRequest::Repeat(unstated, vec![b'x'; 10_000]);
    assert_eq!(fetched(endless).await, Err(LogoFetchError::TooLarge));
}

#[tokio::test]
async fn each_cause_has_its_own_error() {
    let response = |head: &str| OnRequest::Respond(format!("{head}\r\nContent-Length: 0\r\n\r\n").into());
    let moved = response("HTTP/1.1 301 Moved\r\nLocation: https://10.0.0.7/");
    assert_eq!(fetched(moved).await, Err(LogoFetchError::Redirect));
    let missing = response("HTTP/1.1 404 Not Found");
    assert_eq!(fetched(missing).await, Err(LogoFetchError::Status(404)));
    let silent = OnRequest::Hang(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n".to_vec());
    assert_eq!(fetched(silent).await, Err(LogoFetchError::TimedOut(SHORT)));
    let broken = OnRequest::Close(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx".to_vec());
    assert!(matches!(fetched(broken).await, Err(LogoFetchError::Unreachable(_))));

    let public = AddressGuard::new(Reach::Public, Table::with("hooks.example", &["10.0.0.7"]));
    let downloads = LogoDownloads::new(Client::guarded_by(public, None).unwrap());
    for target in ["https://hooks.example/logo.png", "https://127.0.0.1/logo.png"] {
        let refused = downloads.fetch(&url(target)).await;
        assert_eq!(refused, Err(LogoFetchError::NotPublic), "{target}");
    }
}
