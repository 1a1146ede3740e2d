//! The receiver of all webhooks: HTTPS on loopback, in this process. It checks every signature and remembers
//! every event, and it can go away and come back.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;
use uuid::Uuid;
use webhooks::{SIGNATURE_HEADER, SigningSecret, verify};

use crate::fixtures::authority::Authority;
use crate::fixtures::raw_request::{parts, request_length};

/// What came.
#[derive(Debug, Default)]
pub(super) struct Received {
    /// Of each event: the bytes, and how often they came.
    pub(super) events: BTreeMap<Uuid, (Vec<u8>, u32)>,
    /// What was not as it has to be.
    pub(super) wrong: Vec<String>,
}

#[derive(Default)]
struct Shared {
    received: Mutex<Received>,
    /// The secret of the endpoint at each path.
    secrets: Mutex<BTreeMap<String, SigningSecret>>,
    /// Whether it answers 500 to everything, having taken nothing.
    failing: AtomicBool,
}

/// A receiver.
pub(super) struct Receiver {
    address: SocketAddr,
    acceptor: TlsAcceptor,
    shared: Arc<Shared>,
    serving: Mutex<Option<JoinHandle<()>>>,
}

impl Receiver {
    pub(super) async fn start(authority: &Authority) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let receiver = Self {
            address: listener.local_addr()?,
            acceptor: TlsAcceptor::from(authority.server.clone()),
            shared: Arc::default(),
            serving: Mutex::default(),
        };
        receiver.listen(listener);
        Ok(receiver)
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("https://{}{path}", self.address)
    }

    /// What comes to this path is signed with this secret.
    pub(super) fn expect(&self, path: &str, secret: SigningSecret) {
        lock(&self.shared.secrets).insert(path.to_owned(), secret);
    }

    pub(super) fn received(&self) -> MutexGuard<'_, Received> {
        lock(&self.shared.received)
    }

    /// Whether it answers 500 from now on.
    pub(super) fn set_failing(&self, failing: bool) {
        self.shared.failing.store(failing, Ordering::Relaxed);
    }

    /// Nobody listens any more, and every connection is closed.
    pub(super) fn stop_listening(&self) {
        if let Some(serving) = lock(&self.serving).take() {
            serving.abort();
        }
    }

    /// Listens again where it did.
    pub(super) async fn restart(&self) -> anyhow::Result<()> {
        self.listen(TcpListener::bind(self.address).await?);
        Ok(())
    }

    fn listen(&self, listener: TcpListener) {
        let (acceptor, shared) = (self.acceptor.clone(), self.shared.clone());
        let serving = tokio::spawn(async move {
            // With this set go all connections.
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, shared) = (acceptor.clone(), shared.clone());
                connections.spawn(async move { serve(stream, &acceptor, &shared).await });
                while connections.try_join_next().is_some() {}
            }
        });
        *lock(&self.serving) = Some(serving);
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.stop_listening();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(stream: TcpStream, acceptor: &TlsAcceptor, shared: &Shared) -> std::io::Result<()> {
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
        let rest = received.split_off(length);
        let answer: &[u8] = if shared.failing.load(Ordering::Relaxed) {
            b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"
        } else {
            shared.take(&received);
            b"HTTP/1.1 204 No Content\r\n\r\n"
        };
        received = rest;
        stream.write_all(answer).await?;
    }
}

impl Shared {
    fn take(&self, request: &[u8]) {
        let Some((path, signature, body)) = parts(request, SIGNATURE_HEADER) else {
            lock(&self.received).wrong.push("a request that is none".to_owned());
            return;
        };
        let genuine =
            lock(&self.secrets).get(path).is_some_and(|secret| verify(secret, body, signature).is_ok());
        lock(&self.received).add(path, genuine, body);
    }
}

impl Received {
    /// Notes what came to a path.
    fn add(&mut self, path: &str, genuine: bool, body: &[u8]) {
        let value: Value = serde_json::from_slice(body).unwrap_or_default();
        let id = value.pointer("/events/0/event_id").and_then(Value::as_str);
        let Some(id) = id.and_then(|id| id.parse().ok()) else {
            self.wrong.push(format!("{path}: a body without an event"));
            return;
        };
        if !genuine {
            self.wrong.push(format!("{path}: event {id} with a wrong signature"));
            return;
        }
        let (first, times) = self.events.entry(id).or_insert_with(|| (body.to_vec(), 0));
        *times = times.saturating_add(1);
        if first != body {
            self.wrong.push(format!("{path}: event {id} with other bytes than before"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_may_come_twice_but_not_in_other_bytes() {
        let id = "019aa1b2-0000-7000-8000-000000000004";
        let body = |more: &str| format!("{{\"events\":[{{\"event_id\":\"{id}\"}}]{more}}}");
        let mut received = Received::default();
        received.add("/1", true, body("").as_bytes());
        received.add("/1", true, body("").as_bytes());
        assert!(received.wrong.is_empty());
        assert_eq!(received.events[&id.parse().unwrap()].1, 2);
        received.add("/1", true, body(",\"more\":1").as_bytes());
        received.add("/1", false, body("").as_bytes());
        received.add("/1", true, b"{}");
        assert_eq!(received.wrong.len(), 3);
    }
}
