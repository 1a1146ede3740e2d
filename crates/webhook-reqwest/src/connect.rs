//! Plain TLS connections, for a test tool that sends malformed HTTP.

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

/// The port of an address without one.
const HTTPS_PORT: u16 = 443;

impl Client {
    /// Connects to a target through the same guard and with the same trust as a delivery. The TLS handshake
    /// is done, and nothing is sent. The caller limits its time.
    ///
    /// # Errors
    /// The [`Fault`] that a delivery would have met.
    pub async fn connect(
        &self,
        url: &HttpsUrl,
    ) -> Result<impl AsyncRead + AsyncWrite + Send + Unpin + use<>, Fault> {
        let host = url.url().host();
        self.guard.check_host(host.clone())?;
        let (addresses, name) = match host {
            None => return Err(Fault::Unresolved),
            Some(Host::Domain(name)) => (self.guard.look_up(name).await?, of_name(name)?),
            Some(Host::Ipv4(address)) => (vec![address.into()], ServerName::from(address)),
            Some(Host::Ipv6(address)) => (vec![address.into()], ServerName::from(address)),
        };
        let port = url.url().port().unwrap_or(HTTPS_PORT);
        let checked = addresses.into_iter().map(|ip| SocketAddr::new(ip, port));
        let checked: Vec<_> = checked.collect();
        let stream = TcpStream::connect(checked.as_slice()).await;
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
