//! A minimal mail server (RFC 5321, without extensions). It accepts every message, counts them, and can stop
//! and restart.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use crate::fixtures::loopback_server::LoopbackServer;

/// A mail server.
pub(super) struct MailServer {
    pub(super) server: LoopbackServer,
    /// How many messages it has accepted.
    pub(super) taken: Arc<AtomicUsize>,
}

impl MailServer {
    pub(super) async fn start() -> anyhow::Result<Self> {
        let taken = Arc::<AtomicUsize>::default();
        let count = taken.clone();
        let server = LoopbackServer::start(move |stream| serve(stream, count.clone())).await?;
        Ok(Self { server, taken })
    }

    pub(super) fn url(&self) -> String {
        format!("smtp://{}", self.server.address)
    }
}

async fn serve(stream: TcpStream, taken: Arc<AtomicUsize>) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    stream.write_all(b"220 loopback ready\r\n").await?;
    let (mut line, mut in_message) = (Vec::new(), false);
    loop {
        line.clear();
        if stream.read_until(b'\n', &mut line).await? == 0 {
            return Ok(());
        }
        let Some(reply) = reply(&line, &mut in_message) else {
            continue;
        };
        if reply == TAKEN {
            taken.fetch_add(1, Ordering::Relaxed);
        }
        stream.write_all(reply.as_bytes()).await?;
    }
}

const TAKEN: &str = "250 taken\r\n";

/// What is answered to a line; nothing inside a message.
fn reply(line: &[u8], in_message: &mut bool) -> Option<&'static str> {
    if *in_message {
        *in_message = line != b".\r\n";
        return (!*in_message).then_some(TAKEN);
    }
    let verb = line.get(..4).unwrap_or(line).to_ascii_uppercase();
    Some(match verb.as_slice() {
        b"DATA" => {
            *in_message = true;
            "354 go on\r\n"
        }
        b"QUIT" => "221 good-bye\r\n",
        _ => "250 well\r\n",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_ends_with_a_dot_of_its_own() {
        let mut in_message = false;
        let lines: [&[u8]; 6] = [b"EHLO x\r\n", b"DATA\r\n", b"QUIT\r\n", b"..\r\n", b".\r\n", b"quit\r\n"];
        let replies: Vec<_> = lines.map(|line| reply(line, &mut in_message)).into();
        let expected =
            [Some("250 well\r\n"), Some("354 go on\r\n"), None, None, Some(TAKEN), Some("221 good-bye\r\n")];
        assert_eq!(replies, expected);
    }
}
