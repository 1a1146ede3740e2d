//! The client and its setup.

use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, Url};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use crate::call::{CallError, Response, read};

/// The limits of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallLimits {
    /// The time limit for resolving the name, connecting and the TLS handshake. It must be less than the
    /// limit of the whole call: a call that exceeds it was certainly not sent.
    pub connecting: Duration,
    /// The time limit of the whole call: connecting, sending, waiting, reading.
    pub call: Duration,
    /// The maximum size of a response.
    pub max_response_bytes: usize,
    /// Whether a connection serves several calls. If the other side closes an idle connection while a request
    /// is written to it, it is unknown whether the request arrived; so calls that must not be repeated need
    /// connections of their own.
    pub reuse_connections: bool,
}

/// Makes calls over HTTPS. Clones share their connections.
#[derive(Debug, Clone)]
pub struct HttpsClient {
    client: Client,
    max_response_bytes: usize,
}

/// Why a client cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The extra certificates are not PEM, or there are none.
    #[error("the extra certificates must be PEM: {0}")]
    ExtraCa(String),
    #[error("the HTTP client cannot be made")]
    Client(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl HttpsClient {
    /// Sets up a client; nothing is called yet. `extra_ca_pem` has certificates that are trusted in addition
    /// to the system's.
    ///
    /// # Errors
    /// A [`SetupError`].
    pub fn new(limits: CallLimits, extra_ca_pem: Option<&[u8]>) -> Result<Self, SetupError> {
        let idle = if limits.reuse_connections { usize::MAX } else { 0 };
        let client = Client::builder()
            .tls_backend_preconfigured(tls(extra_ca_pem)?)
            .user_agent(concat!("Countinghouse/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(limits.connecting)
            .timeout(limits.call)
            .pool_max_idle_per_host(idle)
            .redirect(Policy::none())
            .no_proxy()
            .build()
            .map_err(|error| SetupError::Client(Box::new(error)))?;
        Ok(Self { client, max_response_bytes: limits.max_response_bytes })
    }

    pub fn get(&self, url: Url) -> RequestBuilder {
        self.client.get(url)
    }

    pub fn post(&self, url: Url) -> RequestBuilder {
        self.client.post(url)
    }

    pub fn request(&self, method: Method, url: Url) -> RequestBuilder {
        self.client.request(method, url)
    }

    /// Sends a request and reads the response, whatever its status.
    ///
    /// # Errors
    /// A [`CallError`] when no complete response came.
    pub async fn send(&self, request: RequestBuilder) -> Result<Response, CallError> {
        read(request, self.max_response_bytes).await
    }
}

/// The TLS configuration of outgoing calls. It names its provider, so that the process-wide one does not
/// matter.
fn tls(extra_ca_pem: Option<&[u8]>) -> Result<ClientConfig, SetupError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| SetupError::Client(Box::new(error)))?;
    Ok(config.with_root_certificates(authorities(extra_ca_pem)?).with_no_client_auth())
}

fn authorities(extra_ca_pem: Option<&[u8]>) -> Result<RootCertStore, SetupError> {
    let mut roots = RootCertStore::empty();
    // A system's list sometimes has certificates that rustls cannot read; the others are used. Without any,
    // calls fail with an error.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let Some(pem) = extra_ca_pem else {
        return Ok(roots);
    };
    let mut count = 0_usize;
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|fault| SetupError::ExtraCa(fault.to_string()))?;
        roots.add(certificate).map_err(|fault| SetupError::ExtraCa(fault.to_string()))?;
        count += 1;
    }
    if count == 0 {
        return Err(SetupError::ExtraCa("they hold no certificate".to_owned()));
    }
    Ok(roots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extra_certificates_that_are_none_are_refused() {
        for pem in ["", "nothing here", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            assert!(matches!(tls(Some(pem.as_bytes())), Err(SetupError::ExtraCa(_))), "{pem:?}");
        }
        assert!(tls(None).is_ok());
    }
}
