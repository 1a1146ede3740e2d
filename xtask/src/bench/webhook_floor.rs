//! The floor of deliveries: the same posts over TLS from memory, without leases or records.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;

use super::receiver::Receiver;
use crate::fixtures::authority::Authority;
use crate::fixtures::client::Connection;

/// How many of them a second go over so many connections.
pub(super) async fn measure(
    receiver: &Receiver,
    authority: &Authority,
    connections: usize,
    span: Duration,
) -> anyhow::Result<f64> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(&authority.file)?)?;
    let trusting = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let connector = TlsConnector::from(Arc::new(trusting));
    let body = "x".repeat(370);
    let request = format!(
        "POST /ok HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nUser-Agent: Service-Webhooks/1.0\r\n\
         Service-Signature: iCRmdDrTPbIOExgwe9mE9DWV/sKFxMkiRfd1JNQwvL8=\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut posting = JoinSet::new();
    let begun = Instant::now();
    for _ in 0..connections {
        let stream = TcpStream::connect(receiver.address).await?;
        stream.set_nodelay(true)?;
        let name = ServerName::try_from("127.0.0.1").context("an address is a name")?;
        let mut connection = Connection::over(connector.connect(name, stream).await?);
        let request = request.clone();
        posting.spawn(async move {
            let mut count = 0_u32;
            while begun.elapsed() < span {
                connection.exchange(request.as_bytes()).await?;
                count = count.saturating_add(1);
            }
            anyhow::Ok(count)
        });
    }
    let mut count = 0_u32;
    while let Some(posted) = posting.join_next().await {
        count = count.saturating_add(posted??);
    }
    Ok(f64::from(count) / begun.elapsed().as_secs_f64())
}
