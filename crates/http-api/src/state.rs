//! What the front stands on: use cases, ports and settings, handed in by the app.

use std::sync::Arc;
use std::time::Duration;

use access::{Authenticator, Quotas, RateLimiter, ScopeCache};
use async_trait::async_trait;
use contacts::ContactService;
use escalations::EscalationReader;
use idempotency::StoredResponseStore;
use invoices::Invoicing;
use kernel::{Clock, CursorKey, PublicUrls};
use partner_accounts::{LogoStore, PartnerAccounts};
use tracing::Span;

use crate::serve::shutdown::GracefulShutdown;

/// Everything that answering requests takes. Clones share it; each worker thread has one.
#[derive(Clone)]
pub struct AppState {
    /// Turns keys into callers.
    pub authenticator: Authenticator,
    /// Knows whose the keys are that came lately.
    pub scope_cache: Arc<ScopeCache>,
    /// Counts requests.
    pub limiter: Arc<dyn RateLimiter>,
    /// How many requests a key may make.
    pub quotas: Quotas,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// The use cases of contacts.
    pub contacts: ContactService,
    /// The use cases of invoices.
    pub invoicing: Invoicing,
    /// Where accounts read their escalations.
    pub escalations: EscalationReader,
    /// The use cases of partner accounts.
    pub accounts: PartnerAccounts,
    /// Has the copies of logos.
    pub logos: Arc<dyn LogoStore>,
    /// Keeps refusals under their idempotency key.
    pub answers: Arc<dyn StoredResponseStore>,
    /// Seals and opens the cursors of lists.
    pub cursors: Arc<CursorKey>,
    /// Makes the addresses that are handed out.
    pub urls: PublicUrls,
    /// How requests reach this process.
    pub transport: Transport,
    /// How long one request may take in all. It stays well under the minute after which the contract calls an
    /// idempotent request abandoned.
    pub deadline: Duration,
    /// Says whether requests can be served.
    pub readiness: Arc<dyn Readiness>,
    /// Collects figures.
    pub metrics: Arc<dyn Metrics>,
    /// Whether `/metrics` is on a listener of its own (see [`serve_admin`](crate::serve_admin())), and so on no other.
    pub metrics_apart: bool,
    /// Traces requests.
    pub traces: Arc<dyn Traces>,
    /// Knows when the server is about to stop.
    pub shutdown: GracefulShutdown,
}

/// How requests reach this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// By plain HTTP, for development and private networks.
    Plain,
    /// By TLS that ends here.
    Tls,
    /// By plain HTTP from a proxy where TLS ends, which says so in `X-Forwarded-Proto`. A request that did not come
    /// by `https` is refused before anything else is looked at; `/health` and `/metrics` are exempt.
    BehindTlsProxy,
}

/// Traces requests: each is worked on inside a span of its own.
pub trait Traces: Send + Sync {
    /// The span of a request that begins. `headers` finds a header of the request by its name in lower case, such as
    /// `traceparent`, by which the caller says what trace the request belongs to; `method` is as in [`Metrics::request`].
    fn begin<'a>(
        &self,
        method: &'static str,
        request_id: &str,
        headers: &dyn Fn(&str) -> Option<&'a str>,
    ) -> Span;

    /// Notes in the span how the request was answered. `route` is the route's pattern and never the path.
    fn answered(&self, span: &Span, method: &'static str, route: &str, status: u16);
}

/// Traces nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoTraces;

impl Traces for NoTraces {
    fn begin<'a>(
        &self,
        _method: &'static str,
        _request_id: &str,
        _headers: &dyn Fn(&str) -> Option<&'a str>,
    ) -> Span {
        Span::none()
    }

    fn answered(&self, _span: &Span, _method: &'static str, _route: &str, _status: u16) {}
}

/// Says whether requests can be served.
#[async_trait]
pub trait Readiness: Send + Sync {
    /// Looks whether everything is there that requests need.
    ///
    /// # Errors
    /// What is missing, for the operator; it is shown at `/health/ready`.
    async fn ready(&self) -> Result<(), String>;
}

/// Collects figures of the process.
pub trait Metrics: Send + Sync {
    /// The figures in the text format of Prometheus.
    fn render(&self) -> String;

    /// Notes one answered request. `route` is the route's pattern and never the path, so that the number of series
    /// stays small; so does `method`, which is `OTHER` for what is not a common one.
    fn request(&self, method: &str, route: &str, status: u16, took: Duration);
}
