//! The client for every outgoing request to an account's URLs.

use std::net::SocketAddr;
use std::sync::Arc;

use async_trait::async_trait;
use https_client::{SetupError, tls_config};
use kernel::HttpsUrl;
use reqwest::{RequestBuilder, Response};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::Host;
use webhooks::{TargetGuard, TargetRefused};

use crate::fault::CallFault;
use crate::guard::names::SystemNames;
use crate::guard::{AddressGuard, Reach};
use crate::setup::client;

/// The port of a URL without one.
const HTTPS_PORT: u16 = 443;

/// Calls the URLs that accounts provide: only HTTPS, checked by the guard, without proxy, without redirects.
///
/// It implements [`TargetGuard`] and [`WebhookSender`](webhooks::WebhookSender) for webhooks, and downloads
/// logos ([`LogoDownloads`](crate::LogoDownloads)). Clones share their connections; one client serves a
/// process.
#[derive(Clone)]
pub struct Client {
    pub(crate) http: reqwest::Client,
    pub(crate) guard: AddressGuard,
    /// For connections that are made without the HTTP client.
    pub(crate) tls: Arc<ClientConfig>,
}

impl Client {
    /// Creates the client. `extra_ca_pem` has the certificates of authorities that are trusted in addition to
    /// the system's.
    ///
    /// # Errors
    /// A [`SetupError`] when the certificates cannot be used.
    pub fn new(reach: Reach, extra_ca_pem: Option<&[u8]>) -> Result<Self, SetupError> {
        Self::guarded_by(AddressGuard::new(reach, Arc::new(SystemNames::default())), extra_ca_pem)
    }

    pub(crate) fn guarded_by(guard: AddressGuard, extra_ca_pem: Option<&[u8]>) -> Result<Self, SetupError> {
        let tls = tls_config(extra_ca_pem)?;
        let http = client(guard.clone(), tls.clone())?;
        Ok(Self { http, guard, tls: Arc::new(tls) })
    }

    /// Sends a request to a host and waits for the headers of the response. The client passes only names to
    /// the guard, so a host that is an IP address is checked here.
    pub(crate) async fn response(
        &self,
        url: &HttpsUrl,
        request: RequestBuilder,
    ) -> Result<Response, CallFault> {
        self.guard.check_host(url.url().host())?;
        request.send().await.map_err(|error| CallFault::of_request(&error))
    }

    /// Connects to a target, for a test tool that sends malformed HTTP: through the same guard and with the
    /// same trusted authorities as a delivery. The TLS handshake is complete, and nothing else is sent. The
    /// caller must limit the time.
    ///
    /// # Errors
    /// The [`CallFault`] that a delivery would get.
    pub async fn connect(
        &self,
        url: &HttpsUrl,
    ) -> Result<impl AsyncRead + AsyncWrite + Send + Unpin + use<>, CallFault> {
        let host = url.url().host();
        self.guard.check_host(host.clone())?;
        let (addresses, name) = match host {
            None => return Err(CallFault::Unresolved),
            Some(Host::Domain(name)) => (self.guard.look_up(name).await?, of_name(name)?),
            Some(Host::Ipv4(address)) => (vec![address.into()], ServerName::from(address)),
            Some(Host::Ipv6(address)) => (vec![address.into()], ServerName::from(address)),
        };
        let port = url.url().port().unwrap_or(HTTPS_PORT);
        let checked: Vec<_> = addresses.into_iter().map(|ip| SocketAddr::new(ip, port)).collect();
        let connected = async {
            let stream = TcpStream::connect(checked.as_slice()).await?;
            TlsConnector::from(Arc::clone(&self.tls)).connect(name, stream).await
        };
        connected.await.map_err(|error| CallFault::of_io(&error))
    }
}

fn of_name(name: &str) -> Result<ServerName<'static>, CallFault> {
    let name = name.trim_end_matches('.').to_owned();
    ServerName::try_from(name).map_err(|_no_name| CallFault::Unresolved)
}

#[async_trait]
impl TargetGuard for Client {
    async fn check(&self, url: &HttpsUrl) -> Result<(), TargetRefused> {
        self.guard.check(url).await
    }
}
