//! Sends requests and reads the replies.

use std::sync::Arc;
use std::time::Duration;

use kernel::HttpsUrl;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, timeout_at};
use webhook_reqwest::{CallFault, Client};

use super::cases::Case;
use super::request::{SendMode, TestRequest};

/// A slow body: this many bytes, then a pause.
const PIECE: usize = 16;
const PAUSE: Duration = Duration::from_millis(100);

/// How long to wait for a reply after half a request: the receiver need not send one.
const AFTER_HALF: Duration = Duration::from_secs(2);

/// The maximum number of bytes of a response that are read to find its status.
const MAX_HEAD: usize = 64 * 1_024;

/// The reply of a receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReceiverReply {
    /// A response with this status.
    Status(u16),
    /// The connection was closed without a response.
    Closed,
    /// Nothing came within the time limit.
    Nothing,
    /// The bytes received were not HTTP.
    NotHttp,
    /// No connection could be opened.
    NoConnection(CallFault),
    /// The request was not sent, since the time of the run was over.
    NotSent,
}

/// Sends requests to one receiver.
#[derive(Clone)]
pub(super) struct RequestSender {
    client: Arc<Client>,
    url: HttpsUrl,
    /// How long one request may take in total.
    attempt_limit: Duration,
    /// The end of the run.
    end: Instant,
}

impl RequestSender {
    pub(super) fn new(client: Client, url: HttpsUrl, attempt_limit: Duration, end: Instant) -> Self {
        Self { client: Arc::new(client), url, attempt_limit, end }
    }

    /// Sends the requests of a case; returns the reply to each.
    pub(super) async fn send(&self, case: &Case) -> Vec<ReceiverReply> {
        if !case.at_once {
            let mut replies = Vec::new();
            for request in &case.requests {
                replies.push(self.post(request, case.mode).await);
            }
            return replies;
        }
        let mut repeated = JoinSet::new();
        for request in case.requests.clone() {
            let (sender, mode) = (self.clone(), case.mode);
            repeated.spawn(async move { sender.post(&request, mode).await });
        }
        repeated.join_all().await
    }

    /// Sends one request over a connection of its own.
    pub(super) async fn post(&self, request: &TestRequest, mode: SendMode) -> ReceiverReply {
        let now = Instant::now();
        if now >= self.end {
            return ReceiverReply::NotSent;
        }
        let until = now.checked_add(self.attempt_limit).unwrap_or(now).min(self.end);
        let exchange = timeout_at(until, self.exchange(request, mode));
        exchange.await.unwrap_or(ReceiverReply::Nothing)
    }

    async fn exchange(&self, request: &TestRequest, mode: SendMode) -> ReceiverReply {
        let mut stream = match self.client.connect(&self.url).await {
            Ok(stream) => stream,
            Err(fault) => return ReceiverReply::NoConnection(fault),
        };
        let head = request.head(&self.url);
        // A receiver may respond and close before it has read everything, so a failed write is ignored.
        let _written = write(&mut stream, head.as_bytes(), &request.body, mode).await;
        let all_sent = mode != SendMode::Half && request.length <= request.body.len();
        if all_sent {
            return answer(&mut stream).await;
        }
        // The receiver waits for the rest of the body: close the sending side.
        let _closed = stream.shutdown().await;
        let answered = tokio::time::timeout(AFTER_HALF, answer(&mut stream));
        answered.await.unwrap_or(ReceiverReply::Closed)
    }
}

async fn write(
    stream: &mut (impl AsyncWrite + Unpin),
    head: &[u8],
    body: &[u8],
    mode: SendMode,
) -> std::io::Result<()> {
    stream.write_all(head).await?;
    match mode {
        SendMode::Whole => stream.write_all(body).await?,
        SendMode::Half => {
            let (half, _) = body.split_at_checked(body.len() / 2).unwrap_or((body, &[]));
            stream.write_all(half).await?;
        }
        SendMode::Slowly => {
            let mut pauses = interval(PAUSE);
            for piece in body.chunks(PIECE) {
                pauses.tick().await;
                stream.write_all(piece).await?;
                stream.flush().await?;
            }
        }
    }
    stream.flush().await
}

/// Reads a response until its status is known.
async fn answer(stream: &mut (impl AsyncRead + Unpin)) -> ReceiverReply {
    let mut bytes = Vec::new();
    loop {
        match status(&bytes) {
            Some(came) => return came,
            None if bytes.len() > MAX_HEAD => return ReceiverReply::NotHttp,
            None => {}
        }
        match stream.read_buf(&mut bytes).await {
            Ok(0) | Err(_) if bytes.is_empty() => return ReceiverReply::Closed,
            Ok(0) | Err(_) => return ReceiverReply::NotHttp,
            Ok(_) => {}
        }
    }
}

/// The status of a response, or that it is not HTTP; `None` while more bytes are needed. Interim responses
/// (1xx) are skipped.
fn status(bytes: &[u8]) -> Option<ReceiverReply> {
    let text = String::from_utf8_lossy(bytes);
    let mut rest: &str = &text;
    loop {
        let (line, _) = rest.split_once("\r\n")?;
        let version = line.strip_prefix("HTTP/1.").and_then(|rest| rest.split_once(' '));
        let code = version.and_then(|(_, rest)| rest.get(..3)?.parse().ok());
        match code {
            None => return Some(ReceiverReply::NotHttp),
            Some(100..=199) => rest = rest.split_once("\r\n\r\n")?.1,
            Some(status) => return Some(ReceiverReply::Status(status)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_is_the_first_final_one() {
        for (bytes, came) in [
            ("", None),
            ("HTTP/1.1 20", None),
            ("HTTP/1.1 204 No Content\r\n", Some(ReceiverReply::Status(204))),
            ("HTTP/1.0 401\r\n", Some(ReceiverReply::Status(401))),
            ("HTTP/1.1 100 Continue\r\n", None),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n", Some(ReceiverReply::Status(200))),
            ("SSH-2.0-OpenSSH\r\n", Some(ReceiverReply::NotHttp)),
            ("HTTP/1.1 yes\r\n", Some(ReceiverReply::NotHttp)),
        ] {
            assert_eq!(status(bytes.as_bytes()), came, "{bytes}");
        }
    }
}
