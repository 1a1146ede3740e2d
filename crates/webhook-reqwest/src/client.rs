//! The client that every outgoing request of an account goes through.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use kernel::HttpsUrl;
use reqwest::{RequestBuilder, Response};
use rustls::ClientConfig;
use webhooks::{TargetGuard, TargetRefused};

use crate::fault::Fault;
use crate::guard::names::{Names, SystemNames};
use crate::guard::{Guard, Reach};
use crate::setup::{SetupError, client, tls};

/// Calls the addresses that accounts name: HTTPS only, checked by the guard, without proxy, without
/// redirects.
///
/// It is the [`TargetGuard`] and the [`Sender`](webhooks::Sender) of webhooks, and downloads logos
/// ([`Client::download`]). Clones share their connections; one client serves a process.
#[derive(Clone)]
pub struct Client {
    pub(crate) http: reqwest::Client,
    pub(crate) guard: Guard,
    /// For connections that are made without the HTTP client.
    pub(crate) tls: Arc<ClientConfig>,
}

impl Client {
    /// Sets the client up. `extra_ca` is a PEM file of authorities that are trusted beside the system's.
    ///
    /// # Errors
    /// A [`SetupError`] when the file cannot be used.
    pub fn new(reach: Reach, extra_ca: Option<&Path>) -> Result<Self, SetupError> {
        Self::with_names(reach, extra_ca, Arc::new(SystemNames::default()))
    }

    /// As [`Client::new`], with other names than the system's.
    ///
    /// # Errors
    /// A [`SetupError`] when the file cannot be used.
    pub fn with_names(
        reach: Reach,
        extra_ca: Option<&Path>,
        names: Arc<dyn Names>,
    ) -> Result<Self, SetupError> {
        Self::guarded_by(Guard::new(reach, names), extra_ca)
    }

    pub(crate) fn guarded_by(guard: Guard, extra_ca: Option<&Path>) -> Result<Self, SetupError> {
        let tls = tls(extra_ca)?;
        let http = client(guard.clone(), tls.clone())?;
        Ok(Self { http, guard, tls: Arc::new(tls) })
    }

    /// Sends a request to a host and waits for the headers of its answer. The client asks the guard for the
    /// addresses of names only, so a host that is an address is checked here.
    pub(crate) async fn answer(&self, url: &HttpsUrl, request: RequestBuilder) -> Result<Response, Fault> {
        self.guard.check_host(url.url().host())?;
        let answer = request.send().await;
        answer.map_err(|error| Fault::of_request(&error))
    }
}

#[async_trait]
impl TargetGuard for Client {
    async fn check(&self, url: &HttpsUrl) -> Result<(), TargetRefused> {
        self.guard.check(url).await
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}
