//! What serving a request takes, whatever its route.

use std::num::NonZeroU8;
use std::sync::Arc;
use std::time::Duration;

use kernel::{Clock, Ids};

use crate::error_pages::ErrorPages;
use crate::observe::{Metrics, Readiness, Traces};
use crate::shutdown::GracefulShutdown;

/// Settings and ports of the server. Clones share them.
#[derive(Clone)]
pub struct ServerState {
    /// Gives the instant from which request ids are made.
    pub clock: Arc<dyn Clock>,
    /// Makes request ids.
    pub ids: Arc<dyn Ids>,
    /// How requests reach this process.
    pub transport: Transport,
    /// How long one request may take in all. It stays well under the minute after which the contract calls an
    /// idempotent request abandoned.
    pub deadline: Duration,
    /// Answers `/health/ready`.
    pub readiness: Arc<dyn Readiness>,
    /// Counts requests, and answers `/metrics`.
    pub metrics: Arc<dyn Metrics>,
    /// Whether `/metrics` is served by [`serve_admin`](crate::serve_admin()) alone.
    pub metrics_apart: bool,
    /// Makes pages of errors outside the API, for browsers; where there is none, every error is JSON.
    pub error_pages: Option<Arc<dyn ErrorPages>>,
    /// Traces requests.
    pub traces: Arc<dyn Traces>,
    /// Tells whether the server is about to stop.
    pub shutdown: GracefulShutdown,
}

/// How requests reach this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// By plain HTTP, for development and private networks.
    Plain,
    /// By TLS that ends here.
    Tls,
    /// By plain HTTP from a proxy where TLS ends, which sets `X-Forwarded-Proto`. A request that did not come
    /// by `https` is refused before anything else is checked; `/health` and `/metrics` are exempt.
    ///
    /// The client's address is the entry of `X-Forwarded-For` that is `hops` from the right.
    BehindTlsProxy { hops: NonZeroU8 },
}
