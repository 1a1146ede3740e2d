//! The client and its setup.

use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, Url};

use crate::call::{CallError, Response, read};
use crate::trust::{SetupError, tls_config};

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

impl HttpsClient {
    /// Sets up a client; nothing is called yet. `extra_ca_pem` has certificates that are trusted in addition
    /// to the system's.
    pub fn new(limits: CallLimits, extra_ca_pem: Option<&[u8]>) -> Result<Self, SetupError> {
        let idle = if limits.reuse_connections { usize::MAX } else { 0 };
        let client = Client::builder()
            .tls_backend_preconfigured(tls_config(extra_ca_pem)?)
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
