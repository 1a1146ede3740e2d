//! Clients that mean harm: what each kind of them does, over and over, until it is told to stop.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// A kind of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// 2,000 connections with nothing on them.
    Idle,
    /// A hundred bodies that come at ten bytes a second.
    SlowBodies,
    /// Requests that break off, in the head or in the body.
    Halves,
    /// 32 requests in one write.
    Pipelining,
    /// Heads of 256 KiB.
    OversizeHeads,
    /// What is no HTTP.
    Invalid,
}

impl Kind {
    pub(super) const ALL: [Self; 6] = [
        Self::Idle,
        Self::SlowBodies,
        Self::Halves,
        Self::Pipelining,
        Self::OversizeHeads,
        Self::Invalid,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Idle => "2000 idle connections",
            Self::SlowBodies => "100 slow bodies at once",
            Self::Halves => "half requests, 160 a second",
            Self::Pipelining => "32 requests in one write, 20 times a second",
            Self::OversizeHeads => "heads of 256 KiB, 40 a second",
            Self::Invalid => "invalid HTTP, 160 a second",
        }
    }

    /// How many there are at once, and how long each waits between two of its deeds.
    const fn many(self) -> (usize, Duration) {
        match self {
            Self::Idle => (2_000, Duration::from_secs(60)),
            Self::SlowBodies => (100, Duration::from_millis(100)),
            Self::Halves | Self::Invalid => (8, Duration::from_millis(50)),
            Self::Pipelining => (4, Duration::from_millis(200)),
            Self::OversizeHeads => (4, Duration::from_millis(100)),
        }
    }
}

/// What they were answered: how often each status, and 0 for a connection that was closed without one.
#[derive(Debug, Clone, Default)]
pub(super) struct Answered(Arc<Mutex<BTreeMap<u16, u32>>>);

impl Answered {
    fn note(&self, status: u16) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = seen.entry(status).or_default();
        *count = count.saturating_add(1);
    }

    pub(super) fn seen(&self) -> BTreeMap<u16, u32> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// A crowd of one kind. They go when it does.
pub(super) struct Crowd {
    _clients: JoinSet<()>,
}

/// One of them.
struct Client {
    kind: Kind,
    address: SocketAddr,
    /// A good one: whoever means harm may be a customer.
    key: String,
    answered: Answered,
    /// The connection that is to be used again, and how many deeds were done on it.
    kept: Option<(TcpStream, usize)>,
}

impl Crowd {
    /// Lets them loose on an address, and waits until all of them are there.
    pub(super) async fn gather(
        kind: Kind,
        address: SocketAddr,
        key: &str,
        answered: &Answered,
    ) -> anyhow::Result<Self> {
        let (count, pause) = kind.many();
        let mut clients = JoinSet::new();
        for n in 0..count {
            let mut client = Client {
                kind,
                address,
                key: key.to_owned(),
                answered: answered.clone(),
                kept: Some((TcpStream::connect(address).await?, 0)),
            };
            clients.spawn(async move {
                for turn in n.. {
                    client.deed(turn).await;
                    tokio::time::sleep(pause).await;
                }
            });
        }
        Ok(Self { _clients: clients })
    }
}

impl Client {
    /// Does what its kind does, once.
    async fn deed(&mut self, turn: usize) {
        let kept = match self.kept.take() {
            Some(kept) => Ok(kept),
            None => TcpStream::connect(self.address).await.map(|new| (new, 0)),
        };
        let Ok((mut stream, deeds)) = kept else {
            // Nobody may be kept out by these.
            return self.answered.note(599);
        };
        let goes_on = match self.kind {
            Kind::Idle => true,
            Kind::SlowBodies => self.drip(&mut stream, deeds).await,
            Kind::Halves => {
                let half = if turn.is_multiple_of(2) {
                    "POST /api/v1/invoices HTTP/1.1\r\nHost: loop".to_owned()
                } else {
                    self.head_of_a_body() + "{\"contact\":"
                };
                let _broken_off = stream.write_all(half.as_bytes()).await;
                false
            }
            Kind::Pipelining => {
                let requests =
                    b"GET /api/v1/invoices HTTP/1.1\r\nHost: loopback\r\n\r\n".repeat(32);
                self.send(&mut stream, &requests, 32).await
            }
            Kind::OversizeHeads => {
                let large = "x".repeat(256 * 1024);
                let head = format!(
                    "GET /api/v1/invoices HTTP/1.1\r\nHost: loopback\r\nX-Large: {large}\r\n\r\n"
                );
                self.send(&mut stream, head.as_bytes(), 1).await;
                false
            }
            Kind::Invalid => {
                let line = INVALID
                    .get(turn % INVALID.len())
                    .copied()
                    .unwrap_or_default();
                self.send(&mut stream, line, 1).await;
                false
            }
        };
        if goes_on {
            self.kept = Some((stream, deeds.saturating_add(1)));
        }
    }

    fn head_of_a_body(&self) -> String {
        let key = &self.key;
        format!(
            "POST /api/v1/invoices HTTP/1.1\r\nHost: loopback\r\nAuthorization: Bearer {key}\r\nContent-Length: 1000\r\n\r\n"
        )
    }

    /// The head first, then the body byte by byte. Says whether there is more to come.
    async fn drip(&self, stream: &mut TcpStream, deeds: usize) -> bool {
        let head = self.head_of_a_body();
        let piece = if deeds == 0 { head.as_bytes() } else { b" " };
        let mut answer = [0; 16];
        let sent = stream.write_all(piece).await.is_ok();
        // An answer, or the end, comes when the service has waited for long enough.
        sent && stream.try_read(&mut answer).is_err()
    }

    /// Sends this and reads so many answers. Says whether they came.
    async fn send(&self, stream: &mut TcpStream, bytes: &[u8], answers: usize) -> bool {
        // What is refused before its end has come is answered all the same.
        let _sent = stream.write_all(bytes).await;
        read_all(stream, answers, &self.answered).await
    }
}

const INVALID: [&[u8]; 4] = [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    b"GET /api/v1/invoices HTTP/9.9\r\n\r\n",
    b"POST /api/v1/invoices HTTP/1.1\r\nHost: loopback\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
    b"\0\0\0 \xff\xfe\r\n\r\n",
];

/// Reads so many answers, and says whether they came.
async fn read_all(stream: &mut TcpStream, count: usize, answered: &Answered) -> bool {
    let mut received = Vec::new();
    let mut noted = 0;
    while noted < count {
        let read =
            tokio::time::timeout(Duration::from_secs(15), stream.read_buf(&mut received)).await;
        let ended = !matches!(read, Ok(Ok(length)) if length > 0);
        let statuses = statuses(&received);
        for status in statuses.iter().skip(noted) {
            answered.note(*status);
        }
        noted = noted.max(statuses.len());
        if ended {
            if noted == 0 {
                answered.note(0);
            }
            return false;
        }
    }
    true
}

/// The status of every answer that begins in these bytes.
fn statuses(received: &[u8]) -> Vec<u16> {
    let text = String::from_utf8_lossy(received);
    let lines = text.split("HTTP/1.1 ").skip(1);
    lines
        .filter_map(|line| line.get(..3)?.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_is_counted() {
        let received = b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 400 Bad Request\r\n\r\nHTTP/1.1 5";
        assert_eq!(statuses(received), [401, 400]);
    }
}
