//! An HTTPS server that behaves as the test says.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

use super::authority::AUTHORITY;

/// What the server does after it has read a request.
#[derive(Clone)]
pub(super) enum OnRequest {
    /// Responds, and waits for the next request.
    Respond(Vec<u8>),
    /// Responds after a while.
    RespondLate(Duration, Vec<u8>),
    /// Sends this, and then nothing more.
    Hang(Vec<u8>),
    /// Sends this, and closes properly.
    Close(Vec<u8>),
    /// Sends this, and closes without TLS's `close_notify`.
    Leave(Vec<u8>),
    /// Sends the first, and then the second repeatedly until the client is gone.
    Repeat(Vec<u8>, Vec<u8>),
    /// Sends this slowly, byte by byte.
    Trickle(Vec<u8>),
}

/// How the server handles a new connection.
#[derive(Clone)]
pub(super) enum OnConnect {
    Tls(Arc<ServerConfig>),
    /// Reads a line as plain HTTP, and responds with an error.
    Plain,
    /// Sends nothing.
    Silence,
    /// Closes at once.
    CloseAtOnce,
}

#[derive(Default)]
struct Seen {
    connections: AtomicUsize,
    ended: AtomicUsize,
    requests: Mutex<Vec<String>>,
}

/// A running server, which ends when this is dropped.
pub(super) struct Server {
    address: SocketAddr,
    seen: Arc<Seen>,
    task: JoinHandle<()>,
}

impl Server {
    /// A well-behaved server for `hooks.example` on 127.0.0.1.
    pub(super) async fn start(on_request: OnRequest) -> Self {
        let tls = AUTHORITY.server("hooks.example", (2020, 4000));
        Self::start_at("127.0.0.1:0", OnConnect::Tls(tls), on_request).await
    }

    pub(super) async fn start_at(address: &str, on_connect: OnConnect, on_request: OnRequest) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Seen::default());
        let task = tokio::spawn(listen(listener, on_connect, on_request, seen.clone()));
        Self { address, seen, task }
    }

    pub(super) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(super) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    /// Waits until this many connections have ended.
    pub(super) async fn ended(&self, number: usize) {
        while self.seen.ended.load(Ordering::SeqCst) < number {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub(super) fn requests(&self) -> Vec<String> {
        self.seen.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn listen(listener: TcpListener, on_connect: OnConnect, on_request: OnRequest, seen: Arc<Seen>) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        seen.connections.fetch_add(1, Ordering::SeqCst);
        let (on_connect, on_request, seen) = (on_connect.clone(), on_request.clone(), seen.clone());
        tokio::spawn(async move {
            receive(stream, on_connect, on_request, &seen).await;
            seen.ended.fetch_add(1, Ordering::SeqCst);
        });
    }
}

async fn receive(mut stream: TcpStream, on_connect: OnConnect, on_request: OnRequest, seen: &Seen) {
    match on_connect {
        OnConnect::CloseAtOnce => {}
        OnConnect::Silence => until_closed(&mut stream).await,
        OnConnect::Plain => {
            let mut hello = [0; 1_024];
            let _some = stream.read(&mut hello).await;
            let response = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
            let _written = stream.write_all(response).await;
            until_closed(&mut stream).await;
        }
        OnConnect::Tls(config) => {
            if let Ok(mut tls) = TlsAcceptor::from(config).accept(stream).await {
                while let Some(request) = request(&mut tls).await {
                    seen.requests.lock().unwrap().push(request);
                    if !act(&mut tls, &on_request).await {
                        return;
                    }
                }
            }
        }
    }
}

/// Behaves as scripted. Returns whether the connection can continue.
async fn act(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), on_request: &OnRequest) -> bool {
    match on_request {
        OnRequest::Respond(response) => stream.write_all(response).await.is_ok(),
        OnRequest::RespondLate(after, response) => {
            tokio::time::sleep(*after).await;
            stream.write_all(response).await.is_ok()
        }
        OnRequest::Hang(start) => {
            let _written = stream.write_all(start).await;
            let _flushed = stream.flush().await;
            until_closed(stream).await;
            false
        }
        OnRequest::Close(start) => {
            let _written = stream.write_all(start).await;
            let _closed = stream.shutdown().await;
            false
        }
        OnRequest::Leave(start) => {
            let _written = stream.write_all(start).await;
            let _flushed = stream.flush().await;
            false
        }
        OnRequest::Repeat(start, rest) => {
            let mut open = stream.write_all(start).await.is_ok();
            while open {
                open = stream.write_all(rest).await.is_ok();
            }
            false
        }
        OnRequest::Trickle(bytes) => {
            for byte in bytes {
                let sent = stream.write_all(&[*byte]).await;
                if sent.is_err() || stream.flush().await.is_err() {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            false
        }
    }
}

async fn until_closed(stream: &mut (impl AsyncRead + Unpin)) {
    let mut buffer = [0; 1_024];
    while stream.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
}

/// The next request as received; `None` when the connection has ended.
async fn request(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let stated = head.lines().find_map(|line| {
                let (name, value) = line.split_once(": ")?;
                let is_length = name.eq_ignore_ascii_case("content-length");
                is_length.then(|| value.parse::<usize>().unwrap())
            });
            if body.len() >= stated.unwrap_or(0) {
                return Some(text);
            }
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}
