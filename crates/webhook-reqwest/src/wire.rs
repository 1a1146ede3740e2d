//! Connections without HTTP on them, for a tool that misspells HTTP on purpose.

use std::net::SocketAddr;
use std::sync::Arc;

use kernel::HttpsUrl;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::Host;

use crate::client::Client;
use crate::fault::Fault;

/// What HTTPS listens on when an address does not say.
const HTTPS_PORT: u16 = 443;

impl Client {
    /// Connects to a target, past the same guard and with the same trust as a delivery. TLS is made, and nothing is sent yet. How long it
    /// may take is for the caller to say.
    ///
    /// # Errors
    /// The [`Fault`] that a delivery would have met.
    pub async fn connect(
        &self,
        url: &HttpsUrl,
    ) -> Result<impl AsyncRead + AsyncWrite + Send + Unpin + use<>, Fault> {
        let host = url.url().host();
        self.guard.judge_host(host.clone())?;
        let (addresses, name) = match host {
            None => return Err(Fault::Unresolved),
            Some(Host::Domain(name)) => (self.guard.look_up(name).await?, of_name(name)?),
            Some(Host::Ipv4(address)) => (vec![address.into()], ServerName::from(address)),
            Some(Host::Ipv6(address)) => (vec![address.into()], ServerName::from(address)),
        };
        let port = url.url().port().unwrap_or(HTTPS_PORT);
        let judged = addresses.into_iter().map(|ip| SocketAddr::new(ip, port));
        let judged: Vec<_> = judged.collect();
        let stream = TcpStream::connect(judged.as_slice()).await;
        let stream = stream.map_err(|error| Fault::of_io(&error))?;
        let connector = TlsConnector::from(Arc::clone(&self.tls));
        let tls = connector.connect(name, stream).await;
        tls.map_err(|error| Fault::of_io(&error))
    }
}

fn of_name(name: &str) -> Result<ServerName<'static>, Fault> {
    let name = name.trim_end_matches('.').to_owned();
    ServerName::try_from(name).map_err(|_no_name| Fault::Unresolved)
}
