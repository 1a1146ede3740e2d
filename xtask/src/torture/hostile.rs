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

impl Crowd {
    /// Lets them loose, and waits until all of them are there.
    pub(super) async fn gather(
        kind: Kind,
        address: SocketAddr,
        answered: &Answered,
    ) -> anyhow::Result<Self> {
        let (count, pause) = kind.many();
        let mut clients = JoinSet::new();
        for n in 0..count {
            let stream = TcpStream::connect(address).await?;
            let answered = answered.clone();
            clients.spawn(async move {
                let mut stream = Some(stream);
                for turn in n.. {
                    deed(kind, address, &mut stream, turn, &answered).await;
                    tokio::time::sleep(pause).await;
                }
            });
        }
        Ok(Self { _clients: clients })
    }
}

/// Does what its kind does, once.
async fn deed(
    kind: Kind,
    address: SocketAddr,
    kept: &mut Option<TcpStream>,
    turn: usize,
    answered: &Answered,
) {
    let stream = match kept.take() {
        Some(stream) => Ok(stream),
        None => TcpStream::connect(address).await,
    };
    let Ok(mut stream) = stream else {
        // Nobody may be kept out by these.
        return answered.note(599);
    };
    match kind {
        Kind::Idle => *kept = Some(stream),
        Kind::SlowBodies => {
            let head = format!(
                "POST /api/v1/invoices HTTP/1.1\r\nHost: loopback\r\nAuthorization: Bearer {WRONG}\r\nContent-Length: 100000\r\n\r\n"
            );
            let begun = turn.is_multiple_of(100);
            let sent = if begun { head.as_bytes() } else { b" " };
            let mut taken = [0; 16];
            if stream.write_all(sent).await.is_ok() && stream.try_read(&mut taken).is_err() {
                *kept = Some(stream);
            }
        }
        Kind::Halves => {
            let half: &[u8] = if turn.is_multiple_of(2) {
                b"POST /api/v1/invoices HTTP/1.1\r\nHost: loop"
            } else {
                b"POST /api/v1/invoices HTTP/1.1\r\nHost: loopback\r\nContent-Length: 1000\r\n\r\n{\"contact\":"
            };
            let _broken_off = stream.write_all(half).await;
        }
        Kind::Pipelining => {
            let one = b"GET /api/v1/invoices HTTP/1.1\r\nHost: loopback\r\n\r\n";
            if stream.write_all(&one.repeat(32)).await.is_ok()
                && read_all(&mut stream, 32, answered).await
            {
                *kept = Some(stream);
            }
        }
        Kind::OversizeHeads => {
            let head = format!(
                "GET /api/v1/invoices HTTP/1.1\r\nHost: loopback\r\nX-Large: {}\r\n\r\n",
                "x".repeat(256 * 1024)
            );
            let _refused_before_its_end = stream.write_all(head.as_bytes()).await;
            read_all(&mut stream, 1, answered).await;
        }
        Kind::Invalid => {
            let lines: [&[u8]; 4] = [
                b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
                b"GET /api/v1/invoices HTTP/9.9\r\n\r\n",
                b"POST /api/v1/invoices HTTP/1.1\r\nHost: loopback\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
                b"\0\0\0 \xff\xfe\r\n\r\n",
            ];
            if let Some(line) = lines.get(turn % lines.len()) {
                let _refused = stream.write_all(line).await;
            }
            read_all(&mut stream, 1, answered).await;
        }
    }
}

/// A key of the right form that nobody has.
const WRONG: &str = "ct_live_00000000000000000000000000000000";

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
