//! Downloads of a logo.

use std::time::Duration;

use partner_accounts::{LogoFetchError, LogoSource as _};

use super::authority::Authority;
use super::server::{OnConnect, OnRequest, Server};
use super::{LONG, SHORT, Table, client, url};
use crate::guard::AddressGuard;
use crate::{CallFault, Client, LogoDownloads, Reach};

const MAX_BYTES: usize = 1_000;

async fn download(port: u16, limit: Duration) -> Result<Vec<u8>, LogoFetchError> {
    let target = url(&format!("https://hooks.example:{port}/logo.png?v=1"));
    LogoDownloads::new(client()).within(MAX_BYTES, limit).fetch(&target).await
}

async fn played(on_request: OnRequest) -> Result<Vec<u8>, LogoFetchError> {
    let server = Server::start(on_request).await;
    let downloaded = download(server.port(), LONG).await;
    if downloaded.is_err() {
        // The connection ends, so the rest of a useless file is not read.
        server.ended(1).await;
    }
    downloaded
}

#[tokio::test]
async fn file_is_downloaded_unchanged() {
    let logo: Vec<u8> = (0..=255).cycle().take(MAX_BYTES).collect();
    let stated = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1000\r\n\r\n";
    let unstated = b"HTTP/1.0 200 OK\r\n\r\n";
    for on_request in [
        OnRequest::Respond([stated.as_slice(), &logo].concat()),
        OnRequest::Close([unstated.as_slice(), &logo].concat()),
        OnRequest::Leave([unstated.as_slice(), &logo].concat()),
    ] {
        assert_eq!(played(on_request).await.as_ref(), Ok(&logo));
    }
}

#[tokio::test]
async fn download_request_has_an_accept_header() {
    let server =
        Server::start(OnRequest::Respond(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".into())).await;
    let port = server.port();
    assert_eq!(download(port, LONG).await, Ok(Vec::new()));
    let expected = format!(
        "GET /logo.png?v=1 HTTP/1.1\r\nAccept: image/png, image/jpeg\r\nUser-Agent: Countinghouse\r\nHost: hooks.example:{port}\r\n\r\n"
    );
    assert_eq!(server.requests(), [expected]);
}

#[tokio::test]
async fn large_file_is_not_read_to_its_end() {
    let one_more = vec![b'x'; MAX_BYTES + 1];
    let ten_gib = b"HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n";
    let stated = b"HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n";
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let closing = b"HTTP/1.1 200 OK\r\n\r\n";
    let small = b"100\r\n".iter().chain(&[b'x'; 256]).chain(b"\r\n");
    for on_request in [
        OnRequest::Hang(stated.into()),
        OnRequest::Repeat(ten_gib.into(), one_more.clone()),
        OnRequest::Repeat(chunked.into(), small.copied().collect()),
        OnRequest::Repeat(closing.into(), one_more.clone()),
        OnRequest::Close([closing.as_slice(), &one_more].concat()),
    ] {
        assert_eq!(played(on_request).await, Err(LogoFetchError::TooLarge));
    }
}

#[tokio::test]
async fn download_with_any_other_status_is_refused() {
    for status in [300, 301, 302, 303, 304, 307, 308] {
        let response = format!("HTTP/1.1 {status} X\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n");
        let downloaded = played(OnRequest::Close(response.into())).await;
        assert_eq!(downloaded, Err(LogoFetchError::Redirect), "{status}");
    }
    for status in [201, 204, 206, 400, 404, 500, 503] {
        let response = format!("HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n");
        let downloaded = played(OnRequest::Close(response.into())).await;
        assert_eq!(downloaded, Err(LogoFetchError::Status(status)));
    }
}

#[tokio::test]
async fn each_download_failure_has_its_own_error() {
    let half = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf";
    let broken = played(OnRequest::Close(half.into())).await;
    assert_eq!(broken, Err(LogoFetchError::Unreachable(CallFault::BrokeOff.to_string())));

    let tls = Authority::new().server("hooks.example", (2020, 4000));
    let stranger = Server::start_at("127.0.0.1:0", OnConnect::Tls(tls), OnRequest::Hang(Vec::new())).await;
    let refused = download(stranger.port(), LONG).await;
    let unknown = LogoFetchError::Unreachable(CallFault::UnknownIssuer.to_string());
    assert_eq!(refused, Err(unknown));

    for start in [Vec::new(), half.into()] {
        let server = Server::start(OnRequest::Hang(start)).await;
        let downloaded = download(server.port(), SHORT).await;
        assert_eq!(downloaded, Err(LogoFetchError::TimedOut(SHORT)));
    }
}

#[tokio::test]
async fn guard_checks_downloads() {
    let server = Server::start(OnRequest::Hang(Vec::new())).await;
    let names = Table::with("hooks.example", &["127.0.0.1"]);
    let client = Client::guarded_by(AddressGuard::new(Reach::Public, names), None).unwrap();
    for host in ["hooks.example", "127.0.0.1", "localhost"] {
        let target = url(&format!("https://{host}:{}/", server.port()));
        let downloaded = LogoDownloads::new(client.clone()).fetch(&target).await;
        assert_eq!(downloaded, Err(LogoFetchError::NotPublic));
    }
    assert_eq!(server.connections(), 0);
}
