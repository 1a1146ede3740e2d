//! A minimal mail server (RFC 5321, without extensions). It accepts every message, counts them, and can stop
//! and restart.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

/// A mail server.
pub(super) struct MailServer {
    address: SocketAddr,
    taken: Arc<AtomicUsize>,
    serving: Mutex<Option<JoinHandle<()>>>,
}

impl MailServer {
    pub(super) async fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let server =
            Self { address: listener.local_addr()?, taken: Arc::default(), serving: Mutex::default() };
        server.listen(listener);
        Ok(server)
    }

    pub(super) fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// How many messages it has taken.
    pub(super) fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    /// Nobody listens any more, and every connection is closed.
    pub(super) fn stop_listening(&self) {
        let mut serving = self.serving.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(serving) = serving.take() {
            serving.abort();
        }
    }

    /// Listens again where it did.
    pub(super) async fn restart(&self) -> anyhow::Result<()> {
        self.listen(TcpListener::bind(self.address).await?);
        Ok(())
    }

    fn listen(&self, listener: TcpListener) {
        let taken = self.taken.clone();
        let serving = tokio::spawn(async move {
            // With this set go all connections.
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let taken = taken.clone();
                connections.spawn(async move { serve(stream, &taken).await });
                while connections.try_join_next().is_some() {}
            }
        });
        *self.serving.lock().unwrap_or_else(PoisonError::into_inner) = Some(serving);
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        self.stop_listening();
    }
}

async fn serve(stream: TcpStream, taken: &AtomicUsize) -> std::io::Result<()> {
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

/// What is answered to a line; nothing in the midst of a message.
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
