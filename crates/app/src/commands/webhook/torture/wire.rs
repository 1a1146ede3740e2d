//! Sending letters, and what comes back.

use std::sync::Arc;
use std::time::Duration;

use kernel::HttpsUrl;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, timeout_at};
use webhook_reqwest::{Client, Fault};

use super::letter::{Letter, Manner};
use super::plays::Play;

/// A slow body: this many bytes, then a pause.
const PIECE: usize = 16;
const PAUSE: Duration = Duration::from_millis(100);

/// How long something is waited for after half a request: nothing needs to come.
const AFTER_HALF: Duration = Duration::from_secs(2);

/// How much of an answer is read to find its status.
const LONGEST_HEAD: usize = 64 * 1_024;

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Came {
    /// An answer with this status.
    Status(u16),
    /// The end of the connection, with no answer before it.
    Closed,
    /// Nothing, in the time that there was.
    Nothing,
    /// What is not HTTP.
    NotHttp,
    /// There was no connection.
    NoConnection(Fault),
    /// It was not played, since the time of the run was over.
    NotPlayed,
}

/// The way to the receiver.
#[derive(Clone)]
pub(super) struct Wire {
    client: Arc<Client>,
    url: HttpsUrl,
    /// How long one request may take in all.
    patience: Duration,
    /// The end of the run.
    end: Instant,
}

impl Wire {
    pub(super) fn new(client: Client, url: HttpsUrl, patience: Duration, end: Instant) -> Self {
        Self {
            client: Arc::new(client),
            url,
            patience,
            end,
        }
    }

    /// Plays, and says what came back for each letter.
    pub(super) async fn play(&self, play: &Play) -> Vec<Came> {
        if !play.at_once {
            let mut came = Vec::new();
            for letter in &play.letters {
                came.push(self.post(letter, play.manner).await);
            }
            return came;
        }
        let mut twins = JoinSet::new();
        for letter in play.letters.clone() {
            let (wire, manner) = (self.clone(), play.manner);
            twins.spawn(async move { wire.post(&letter, manner).await });
        }
        twins.join_all().await
    }

    /// Sends one letter over a connection of its own.
    pub(super) async fn post(&self, letter: &Letter, manner: Manner) -> Came {
        let now = Instant::now();
        if now >= self.end {
            return Came::NotPlayed;
        }
        let until = now.checked_add(self.patience).unwrap_or(now).min(self.end);
        let exchange = timeout_at(until, self.exchange(letter, manner));
        exchange.await.unwrap_or(Came::Nothing)
    }

    async fn exchange(&self, letter: &Letter, manner: Manner) -> Came {
        let mut stream = match self.client.connect(&self.url).await {
            Ok(stream) => stream,
            Err(fault) => return Came::NoConnection(fault),
        };
        let head = letter.head(&self.url);
        // A receiver may answer and close before it has read everything; what it answered counts.
        let _written = write(&mut stream, head.as_bytes(), &letter.body, manner).await;
        let all_sent = manner != Manner::Half && letter.length <= letter.body.len();
        if all_sent {
            return answer(&mut stream).await;
        }
        // The receiver waits for more, and is told that there is none.
        let _closed = stream.shutdown().await;
        let answered = tokio::time::timeout(AFTER_HALF, answer(&mut stream));
        answered.await.unwrap_or(Came::Closed)
    }
}

async fn write(
    stream: &mut (impl AsyncWrite + Unpin),
    head: &[u8],
    body: &[u8],
    manner: Manner,
) -> std::io::Result<()> {
    stream.write_all(head).await?;
    match manner {
        Manner::Whole => stream.write_all(body).await?,
        Manner::Half => {
            let (half, _) = body.split_at_checked(body.len() / 2).unwrap_or((body, &[]));
            stream.write_all(half).await?;
        }
        Manner::Slowly => {
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

/// Reads as much of an answer as tells its status.
async fn answer(stream: &mut (impl AsyncRead + Unpin)) -> Came {
    let mut bytes = Vec::new();
    loop {
        match status(&bytes) {
            Some(came) => return came,
            None if bytes.len() > LONGEST_HEAD => return Came::NotHttp,
            None => {}
        }
        match stream.read_buf(&mut bytes).await {
            Ok(0) | Err(_) if bytes.is_empty() => return Came::Closed,
            Ok(0) | Err(_) => return Came::NotHttp,
            Ok(_) => {}
        }
    }
}

/// The status of an answer, or that it is none; `None` while that cannot be said. Interim answers (1xx) are passed over.
fn status(bytes: &[u8]) -> Option<Came> {
    let text = String::from_utf8_lossy(bytes);
    let mut rest: &str = &text;
    loop {
        let (line, _) = rest.split_once("\r\n")?;
        let version = line
            .strip_prefix("HTTP/1.")
            .and_then(|rest| rest.split_once(' '));
        let code = version.and_then(|(_, rest)| rest.get(..3)?.parse().ok());
        match code {
            None => return Some(Came::NotHttp),
            Some(100..=199) => rest = rest.split_once("\r\n\r\n")?.1,
            Some(status) => return Some(Came::Status(status)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_the_first_that_is_final() {
        for (bytes, came) in [
            ("", None),
            ("HTTP/1.1 20", None),
            ("HTTP/1.1 204 No Content\r\n", Some(Came::Status(204))),
            ("HTTP/1.0 401\r\n", Some(Came::Status(401))),
            ("HTTP/1.1 100 Continue\r\n", None),
            (
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n",
                Some(Came::Status(200)),
            ),
            ("SSH-2.0-OpenSSH\r\n", Some(Came::NotHttp)),
            ("HTTP/1.1 yes\r\n", Some(Came::NotHttp)),
        ] {
            assert_eq!(status(bytes.as_bytes()), came, "{bytes}");
        }
    }
}
