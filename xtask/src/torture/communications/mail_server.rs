//! The mail server: it keeps the mails that it accepts, and sometimes refuses a mail or hangs before
//! accepting it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kernel::Clock as _;
use time::OffsetDateTime;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use uuid::Uuid;

use super::super::leading_clock::LeadingClock;
use crate::fixtures::loopback_server::LoopbackServer;
use crate::fixtures::mail_server::{TAKEN, reply};
use crate::seed::random::SeededGenerator;

/// How long the server hangs before it closes the connection.
const HANGS: Duration = Duration::from_secs(2);
const REFUSED: &[u8] = b"451 not now\r\n";

/// An accepted mail.
#[derive(Debug, Clone)]
pub(super) struct TakenMail {
    /// The message, identified by the `Message-ID`.
    pub(super) message: Uuid,
    pub(super) message_id: String,
    pub(super) to: String,
    pub(super) reply_to: String,
    /// The time, by the clock of the service and by that of the machine.
    pub(super) at: OffsetDateTime,
    pub(super) when: Instant,
}

pub(super) struct MailServer {
    server: LoopbackServer,
    shared: Arc<Shared>,
}

struct Shared {
    taken: Mutex<Vec<TakenMail>>,
    clock: LeadingClock,
    generator: SeededGenerator,
    /// How many of a hundred mails are refused or get no reply.
    troubled: AtomicU64,
    injected_faults: AtomicU64,
}

impl MailServer {
    pub(super) async fn start(clock: &LeadingClock, generator: SeededGenerator) -> anyhow::Result<Self> {
        let shared = Arc::new(Shared {
            taken: Mutex::default(),
            clock: clock.clone(),
            generator,
            troubled: AtomicU64::new(0),
            injected_faults: AtomicU64::new(0),
        });
        let serves = shared.clone();
        let server = LoopbackServer::start(move |stream| serve(stream, serves.clone())).await?;
        Ok(Self { server, shared })
    }

    pub(super) fn url(&self) -> String {
        format!("smtp://{}", self.server.address)
    }

    /// Sets how many of a hundred mails are refused or get no reply.
    pub(super) fn misbehave(&self, percent: u64) {
        self.shared.troubled.store(percent, Ordering::Relaxed);
    }

    pub(super) fn injected_faults(&self) -> u64 {
        self.shared.injected_faults.load(Ordering::Relaxed)
    }

    pub(super) fn taken(&self) -> Vec<TakenMail> {
        self.shared.taken().clone()
    }
}

impl Shared {
    fn taken(&self) -> MutexGuard<'_, Vec<TakenMail>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, text: &str) {
        let message_id = header(text, "message-id").trim_matches(['<', '>']).to_owned();
        let message = message_id.split(['.', '@']).next().and_then(|id| id.parse().ok()).unwrap_or_default();
        let mail = TakenMail {
            message,
            message_id,
            to: address(&header(text, "to")),
            reply_to: address(&header(text, "reply-to")),
            at: self.clock.now(),
            when: Instant::now(),
        };
        self.taken().push(mail);
    }
}

async fn serve(stream: TcpStream, shared: Arc<Shared>) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    stream.write_all(b"220 loopback ready\r\n").await?;
    let (mut line, mut text, mut in_message) = (Vec::new(), String::new(), false);
    loop {
        line.clear();
        if stream.read_until(b'\n', &mut line).await? == 0 {
            return Ok(());
        }
        let Some(mut response) = reply(&line, &mut in_message).map(str::as_bytes) else {
            text.push_str(&String::from_utf8_lossy(&line));
            continue;
        };
        if response == TAKEN.as_bytes() {
            let draw = shared.generator.below(100);
            if draw < shared.troubled.load(Ordering::Relaxed) {
                shared.injected_faults.fetch_add(1, Ordering::Relaxed);
                if draw.is_multiple_of(2) {
                    tokio::time::sleep(HANGS).await;
                    return Ok(());
                }
                response = REFUSED;
            } else {
                shared.take(&text);
            }
            text.clear();
        }
        stream.write_all(response).await?;
    }
}

/// The value of a header, including folded lines.
fn header(text: &str, name: &str) -> String {
    let head = text.split("\r\n\r\n").next().unwrap_or_default().replace("\r\n ", " ").replace("\r\n\t", " ");
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    let found = lines.find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
}

/// The bare address of a mailbox.
fn address(mailbox: &str) -> String {
    let bare = mailbox.rsplit_once('<').map_or(mailbox, |(_, rest)| rest);
    bare.trim_end_matches('>').trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_with_their_folded_lines() {
        let text =
            "To: Ada <ada@example.com>\r\nReply-To: Harbour\r\n <reply+t@in.example.com>\r\n\r\nTo: x\r\n";
        let read = ["to", "reply-to", "cc"].map(|name| address(&header(text, name)));
        assert_eq!(read, ["ada@example.com", "reply+t@in.example.com", ""]);
    }
}
