//! A relay between the store and the server that counts round trips.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use store_diesel::Store;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// Long enough for everything that is sent together to arrive.
const DELAY: Duration = Duration::from_millis(40);

#[derive(Clone, Default)]
pub(crate) struct Relay(Arc<AtomicU32>);

impl Relay {
    /// Starts the relay; returns the URL to use in place of the server's.
    pub(crate) async fn start(&self, url: &str) -> String {
        let (host, _) = url.split_once('@').unwrap().1.split_once('/').unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (relay, server) = (self.clone(), host.to_owned());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.unwrap();
                server.set_nodelay(true).unwrap();
                client.set_nodelay(true).unwrap();
                let (asking, answering) = (client.into_split(), server.into_split());
                let waiting = Arc::new(AtomicBool::new(false));
                tokio::spawn(relay.clone().ask(asking.0, answering.1, waiting.clone()));
                tokio::spawn(answer_late(answering.0, asking.1, waiting));
            }
        });
        url.replace(host, &format!("127.0.0.1:{port}"))
    }

    async fn ask(self, mut from: OwnedReadHalf, mut to: OwnedWriteHalf, waiting: Arc<AtomicBool>) {
        let mut bytes = [0; 65_536];
        while let Ok(count @ 1..) = from.read(&mut bytes).await {
            if !waiting.swap(true, Ordering::SeqCst) {
                self.0.fetch_add(1, Ordering::SeqCst);
            }
            to.write_all(&bytes[..count]).await.unwrap();
        }
    }

    /// How many round trips the work takes, including those after its result.
    pub(crate) async fn count(&self, store: &Store, work: impl Future) -> u32 {
        let before = self.0.load(Ordering::SeqCst);
        work.await;
        while store.upkeep.pool_status().available < 1 {
            tokio::task::yield_now().await;
        }
        self.0.load(Ordering::SeqCst) - before
    }
}

async fn answer_late(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, waiting: Arc<AtomicBool>) {
    let mut bytes = [0; 65_536];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        tokio::time::sleep(DELAY).await;
        waiting.store(false, Ordering::SeqCst);
        if to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
}
