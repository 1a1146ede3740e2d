//! A receiver of webhooks that records when each delivery came, and the floor of deliveries to it: the same
//! POST requests over TLS from memory, without leases or records.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_rustls::TlsConnector;

use crate::fixtures::client::Connection;
use crate::fixtures::load::repeat;
use crate::fixtures::loopback_server::LoopbackServer;
use crate::fixtures::webhook_receiver::{self, Authority, Reply};

/// Longer than any wait here takes without a fault.
const PATIENCE: Duration = Duration::from_secs(120);

/// When a delivery came, and the `resource_id` of its event.
pub(super) type Receipt = (Instant, String);

/// A running receiver.
pub(super) struct Receiver {
    pub(super) server: LoopbackServer,
    receipts: watch::Sender<Vec<Receipt>>,
    /// How many deliveries are held without a response.
    hanging: watch::Sender<u32>,
}

/// Counts one delivery that is held without a response.
struct Hanging(watch::Sender<u32>);

impl Drop for Hanging {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl Receiver {
    /// Deliveries to the path `hang` get no response, all others 204.
    pub(super) async fn start(authority: &Authority) -> anyhow::Result<Self> {
        let (receipts, hanging) = (watch::Sender::new(Vec::new()), watch::Sender::new(0));
        let (received, held) = (receipts.clone(), hanging.clone());
        let reply = webhook_receiver::start(authority, move |webhook| {
            let at = Instant::now();
            if webhook.path == "/hang" {
                held.send_modify(|count| *count += 1);
                return Reply::Never(Box::new(Hanging(held.clone())));
            }
            received.send_modify(|receipts| receipts.push((at, webhook.event_field("resource_id"))));
            Reply::NoContent
        });
        Ok(Self { server: reply.await?, receipts, hanging })
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("https://{}/{path}", self.server.address)
    }

    /// Forgets the received deliveries.
    pub(super) fn clear(&self) {
        self.receipts.send_replace(Vec::new());
    }

    /// Waits until `count` deliveries came, and returns the first `count`.
    pub(super) async fn wait_for(&self, count: usize) -> anyhow::Result<Vec<Receipt>> {
        let mut receipts = self.receipts.subscribe();
        let waiting = tokio::time::timeout(PATIENCE, receipts.wait_for(|receipts| receipts.len() >= count));
        let came = || format!("{count} deliveries were waited for, {} came", self.receipts.borrow().len());
        Ok(waiting.await.with_context(came)??.iter().take(count).cloned().collect())
    }

    /// Waits until `count` deliveries hang at once.
    pub(super) async fn wait_for_hanging(&self, count: u32) -> anyhow::Result<()> {
        let mut hanging = self.hanging.subscribe();
        let waiting = tokio::time::timeout(PATIENCE, hanging.wait_for(|hanging| *hanging >= count));
        let hang = || format!("{count} were to hang, {} did", *self.hanging.borrow());
        waiting.await.with_context(hang)??;
        Ok(())
    }

    /// How many POST requests a second it accepts over this number of connections.
    pub(super) async fn floor(
        &self,
        authority: &Authority,
        connections: usize,
        span: Duration,
    ) -> anyhow::Result<f64> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(&authority.file)?)?;
        let trusting = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        let connector = TlsConnector::from(Arc::new(trusting));
        let body = "x".repeat(370);
        let request: Arc<str> = Arc::from(format!(
            "POST /ok HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nUser-Agent: Service-Webhooks/1.0\r\n\
             Service-Signature: iCRmdDrTPbIOExgwe9mE9DWV/sKFxMkiRfd1JNQwvL8=\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ));
        let mut clients = Vec::new();
        for _ in 0..connections {
            let stream = TcpStream::connect(self.server.address).await?;
            stream.set_nodelay(true)?;
            let name = ServerName::try_from("127.0.0.1").context("an address is a name")?;
            let connection = Connection::over(connector.connect(name, stream).await?);
            clients.push((connection, request.clone()));
        }
        let posted = repeat(clients, span, Duration::ZERO, |(mut connection, request)| async move {
            connection.exchange(request.as_bytes()).await?;
            Ok((connection, request))
        });
        Ok(posted.await?.per_second())
    }
}
