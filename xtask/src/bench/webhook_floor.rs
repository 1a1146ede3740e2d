//! The floor of deliveries: the same posts over TLS from memory, without leases or records.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::receiver::Receiver;
use crate::fixtures::authority::Authority;
use crate::fixtures::client::Connection;
use crate::fixtures::load::repeat;

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
    let request: Arc<str> = Arc::from(format!(
        "POST /ok HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nUser-Agent: Service-Webhooks/1.0\r\n\
         Service-Signature: iCRmdDrTPbIOExgwe9mE9DWV/sKFxMkiRfd1JNQwvL8=\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    ));
    let mut clients = Vec::new();
    for _ in 0..connections {
        let stream = TcpStream::connect(receiver.server.address).await?;
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
