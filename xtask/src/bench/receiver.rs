//! A receiver of webhooks: HTTPS on loopback, in this process, with little work for each request.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;

use crate::fixtures::authority::Authority;
use crate::fixtures::raw_request::request_length;

/// What was taken.
#[derive(Debug, Default)]
struct Taken {
    /// When, and whose resource it was about.
    receipts: Mutex<Vec<Receipt>>,
    /// How many are held without an answer.
    hanging: Mutex<u32>,
    more: Notify,
}

/// A delivery that was taken.
#[derive(Debug, Clone)]
pub(super) struct Receipt {
    pub(super) at: Instant,
    /// The `resource_id` of its event.
    pub(super) resource: String,
}

/// A running receiver, for as long as this process runs.
pub(super) struct Receiver {
    pub(super) address: SocketAddr,
    taken: Arc<Taken>,
}

impl Receiver {
    pub(super) async fn start(authority: &Authority) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let acceptor = TlsAcceptor::from(authority.server.clone());
        let taken = Arc::new(Taken::default());
        let shared = taken.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, taken) = (acceptor.clone(), shared.clone());
                // A connection that breaks off is the caller's to make again.
                tokio::spawn(async move { serve(stream, &acceptor, &taken).await });
            }
        });
        Ok(Self { address, taken })
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("https://{}/{path}", self.address)
    }

    /// Forgets what was taken.
    pub(super) fn clear(&self) {
        lock(&self.taken.receipts).clear();
    }

    pub(super) fn receipts(&self) -> Vec<Receipt> {
        lock(&self.taken.receipts).clone()
    }

    /// Waits until so many were taken, and says when the last of them was.
    pub(super) async fn wait_for(&self, count: usize, within: Duration) -> anyhow::Result<Instant> {
        self.until(within, || {
            let receipts = lock(&self.taken.receipts);
            receipts.get(count.checked_sub(1)?).map(|last| last.at)
        })
        .await
        .with_context(|| {
            format!("{count} deliveries were waited for, {} came", lock(&self.taken.receipts).len())
        })
    }

    /// Waits until so many hang at once.
    pub(super) async fn wait_for_hanging(&self, count: u32, within: Duration) -> anyhow::Result<()> {
        self.until(within, || (*lock(&self.taken.hanging) >= count).then_some(()))
            .await
            .with_context(|| format!("{count} were to hang, {} did", *lock(&self.taken.hanging)))
    }

    async fn until<T>(&self, within: Duration, found: impl Fn() -> Option<T>) -> anyhow::Result<T> {
        let begun = Instant::now();
        loop {
            let more = self.taken.more.notified();
            if let Some(found) = found() {
                return Ok(found);
            }
            let left = within.saturating_sub(begun.elapsed());
            if tokio::time::timeout(left, more).await.is_err() {
                bail!("not within {within:?}");
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(stream: TcpStream, acceptor: &TlsAcceptor, taken: &Taken) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = acceptor.accept(stream).await?;
    let mut received = Vec::with_capacity(4_096);
    loop {
        let Some(length) = request_length(&received) else {
            if stream.read_buf(&mut received).await? == 0 {
                return Ok(());
            }
            continue;
        };
        let at = Instant::now();
        let resource = resource_of(&received).unwrap_or_default();
        if received.starts_with(b"POST /hang") {
            *lock(&taken.hanging) += 1;
            taken.more.notify_waiters();
            let gone = stream.read_buf(&mut received).await;
            *lock(&taken.hanging) -= 1;
            return gone.map(|_length| ());
        }
        received.drain(..length);
        lock(&taken.receipts).push(Receipt { at, resource });
        taken.more.notify_waiters();
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await?;
    }
}

fn resource_of(received: &[u8]) -> Option<String> {
    const NAME: &[u8] = b"\"resource_id\":\"";
    let at = received.windows(NAME.len()).position(|window| window == NAME)?.saturating_add(NAME.len());
    let id = received.get(at..at.saturating_add(36))?;
    String::from_utf8(id.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resource_is_found_in_the_body() {
        let id = "019aa1b2-0000-7000-8000-000000000004";
        let body = format!("{{\"events\":[{{\"resource_id\":\"{id}\"}}]}}");
        assert_eq!(resource_of(body.as_bytes()).unwrap(), id);
    }
}
