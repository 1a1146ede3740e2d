//! Hostile clients: the action that each kind repeats until it is stopped, and the responses by status.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// A kind of hostile clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// 2,000 connections with nothing on them.
    Idle,
    /// A hundred bodies, sent at ten bytes a second.
    SlowBodies,
    /// Requests that break off, in the head or in the body.
    Halves,
    /// 32 requests in one write.
    Pipelining,
    /// Heads of 256 KiB.
    OversizeHeads,
    /// Bytes that are not HTTP.
    Invalid,
}

impl Kind {
    pub(super) const ALL: [Self; 6] =
        [Self::Idle, Self::SlowBodies, Self::Halves, Self::Pipelining, Self::OversizeHeads, Self::Invalid];

    pub(super) const fn name(self) -> &'static str {
        self.parameters().0
    }

    /// The name, the number of concurrent clients, and the pause of each between two actions.
    const fn parameters(self) -> (&'static str, usize, Duration) {
        match self {
            Self::Idle => ("2000 idle connections", 2_000, Duration::from_secs(60)),
            Self::SlowBodies => ("100 slow bodies at once", 100, Duration::from_millis(100)),
            Self::Halves => ("half requests, 160 a second", 8, Duration::from_millis(50)),
            Self::Pipelining => {
                ("32 requests in one write, 20 times a second", 4, Duration::from_millis(200))
            }
            Self::OversizeHeads => ("heads of 256 KiB, 40 a second", 4, Duration::from_millis(100)),
            Self::Invalid => ("invalid HTTP, 160 a second", 8, Duration::from_millis(50)),
        }
    }
}

/// A group of clients of one kind. They stop when it is dropped or when [`Self::stop`] is called.
pub(super) struct HostileClients {
    clients: JoinSet<()>,
    stop: watch::Sender<bool>,
}

/// A hostile client.
struct Client {
    kind: Kind,
    address: SocketAddr,
    /// A valid API key, since a hostile client may be a customer.
    key: String,
    status_counts: StatusCounts,
    /// A connection to be used again, and the number of actions that used it.
    kept: Option<(TcpStream, usize)>,
}

impl HostileClients {
    /// Connects all clients to an address and starts them.
    pub(super) async fn start(
        kind: Kind,
        address: SocketAddr,
        key: &str,
        status_counts: &StatusCounts,
    ) -> anyhow::Result<Self> {
        let (_, count, pause) = kind.parameters();
        let (mut clients, (stop, stopped)) = (JoinSet::new(), watch::channel(false));
        for n in 0..count {
            let mut client = Client {
                kind,
                address,
                key: key.to_owned(),
                status_counts: status_counts.clone(),
                kept: Some((TcpStream::connect(address).await?, 0)),
            };
            let mut stopped = stopped.clone();
            clients.spawn(async move {
                tokio::select! {
                    _stopped = stopped.changed() => {}
                    () = client.repeat(n, pause) => {}
                }
                if let Some((stream, _)) = &client.kept {
                    client.status_counts.record_received(stream);
                }
            });
        }
        Ok(Self { clients, stop })
    }

    /// Stops all clients, once they have recorded their last responses.
    pub(super) async fn stop(mut self) {
        self.stop.send_replace(true);
        while self.clients.join_next().await.is_some() {}
    }
}

impl Client {
    async fn repeat(&mut self, first: usize, pause: Duration) {
        for turn in first.. {
            self.act(turn).await;
            tokio::time::sleep(pause).await;
        }
    }

    /// The connection for the next action, and the number of actions that used it.
    async fn connection(&mut self) -> std::io::Result<(TcpStream, usize)> {
        if let Some((stream, actions)) = self.kept.take() {
            if self.kind != Kind::Halves || actions == 0 {
                return Ok((stream, actions));
            }
            // The response to half a request, if there is one, came on that request's connection.
            self.status_counts.record_received(&stream);
        }
        Ok((TcpStream::connect(self.address).await?, 0))
    }

    /// One action of this kind.
    async fn act(&mut self, turn: usize) {
        let Ok((mut stream, actions)) = self.connection().await else {
            // A failure to connect counts as 5xx, since no client may be locked out.
            return self.status_counts.record(599);
        };
        let goes_on = match self.kind {
            Kind::Idle => !self.status_counts.record_received(&stream),
            Kind::SlowBodies => self.drip(&mut stream, actions).await,
            Kind::Halves => {
                let half = if turn.is_multiple_of(2) {
                    "POST /api/v1/invoices HTTP/1.1\r\nHost: loop".to_owned()
                } else {
                    self.head_of_a_body() + "{\"contact\":"
                };
                let _broken_off = stream.write_all(half.as_bytes()).await;
                let _no_more_to_come = stream.shutdown().await;
                true
            }
            Kind::Pipelining => {
                let requests = b"GET /api/v1/invoices HTTP/1.1\r\nHost: loopback\r\n\r\n".repeat(32);
                self.send(&mut stream, &requests, 32).await
            }
            Kind::OversizeHeads => {
                let large = "x".repeat(256 * 1024);
                let head =
                    format!("GET /api/v1/invoices HTTP/1.1\r\nHost: loopback\r\nX-Large: {large}\r\n\r\n");
                self.send(&mut stream, head.as_bytes(), 1).await;
                false
            }
            Kind::Invalid => {
                let line = INVALID.get(turn % INVALID.len()).copied().unwrap_or_default();
                self.send(&mut stream, line, 1).await;
                false
            }
        };
        if goes_on {
            self.kept = Some((stream, actions + 1));
        }
    }

    fn head_of_a_body(&self) -> String {
        let key = &self.key;
        format!(
            "POST /api/v1/invoices HTTP/1.1\r\nHost: loopback\r\nAuthorization: Bearer {key}\r\nContent-Length: 1000\r\n\r\n"
        )
    }

    /// Sends the head first, then the body byte by byte. Returns whether there is more to send.
    async fn drip(&self, stream: &mut TcpStream, actions: usize) -> bool {
        let head = self.head_of_a_body();
        let piece = if actions == 0 { head.as_bytes() } else { b" " };
        let sent = stream.write_all(piece).await.is_ok();
        // A response or the end of the connection comes when the service's time limit is over.
        !self.status_counts.record_received(stream) && sent
    }

    /// Sends these bytes and reads this number of responses. Returns whether they came.
    async fn send(&self, stream: &mut TcpStream, bytes: &[u8], responses: usize) -> bool {
        // A request that is refused before its end still gets a response.
        let _sent = stream.write_all(bytes).await;
        self.status_counts.read_all(stream, responses).await
    }
}

const INVALID: [&[u8]; 4] = [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    b"GET /api/v1/invoices HTTP/9.9\r\n\r\n",
    b"POST /api/v1/invoices HTTP/1.1\r\nHost: loopback\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
    b"\0\0\0 \xff\xfe\r\n\r\n",
];

/// The number of responses by status; 0 stands for a connection that was closed without a response.
#[derive(Debug, Clone, Default)]
pub(super) struct StatusCounts(Arc<Mutex<BTreeMap<u16, u32>>>);

impl StatusCounts {
    pub(super) fn record(&self, status: u16) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *seen.entry(status).or_default() += 1;
    }

    pub(super) fn seen(&self) -> BTreeMap<u16, u32> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records the responses, or the end, that have come on a connection, without waiting for more. Returns
    /// whether there were any.
    pub(super) fn record_received(&self, stream: &TcpStream) -> bool {
        let mut received = [0; 4_096];
        let came = match stream.try_read(&mut received) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
            Ok(length) => received.get(..length).unwrap_or_default(),
            Err(_reset) => &[],
        };
        let statuses = statuses(came);
        statuses.iter().for_each(|status| self.record(*status));
        if statuses.is_empty() {
            self.record(0);
        }
        true
    }

    /// Reads this number of responses, and returns whether they came.
    pub(super) async fn read_all(&self, stream: &mut TcpStream, count: usize) -> bool {
        let mut received = Vec::new();
        let mut noted = 0;
        while noted < count {
            let read = tokio::time::timeout(Duration::from_secs(15), stream.read_buf(&mut received)).await;
            let ended = !matches!(read, Ok(Ok(length)) if length > 0);
            let statuses = statuses(&received);
            for status in statuses.iter().skip(noted) {
                self.record(*status);
            }
            noted = noted.max(statuses.len());
            if ended {
                if noted == 0 {
                    self.record(0);
                }
                return false;
            }
        }
        true
    }
}

/// The status of every response that begins in these bytes.
fn statuses(received: &[u8]) -> Vec<u16> {
    let text = String::from_utf8_lossy(received);
    let lines = text.split("HTTP/1.1 ").skip(1);
    lines.filter_map(|line| line.get(..3)?.parse().ok()).collect()
}

#[cfg(test)]
mod tests {

    use super::*;

    #[tokio::test]
    async fn received_bytes_are_recorded_without_waiting() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut seen = Vec::new();
        for response in ["HTTP/1.1 500 Internal Server Error\r\n\r\n", ""] {
            let status_counts = StatusCounts::default();
            let stream = TcpStream::connect(address).await.unwrap();
            let (mut other, _) = listener.accept().await.unwrap();
            assert!(!status_counts.record_received(&stream), "nothing yet");
            other.write_all(response.as_bytes()).await.unwrap();
            drop(other);
            stream.readable().await.unwrap();
            assert!(status_counts.record_received(&stream));
            seen.push(status_counts.seen());
        }
        assert_eq!(seen, [[(500, 1)].into(), [(0, 1)].into()]);
    }

    #[test]
    fn every_response_is_counted() {
        let received = b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 400 Bad Request\r\n\r\nHTTP/1.1 5";
        assert_eq!(statuses(received), [401, 400]);
    }
}
