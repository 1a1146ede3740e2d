//! The state of the server that is independent of routes.

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
    /// The clock for request ids.
    pub clock: Arc<dyn Clock>,
    /// Makes request ids.
    pub ids: Arc<dyn Ids>,
    /// How requests reach this process.
    pub transport: Transport,
    /// The time limit of one request: well under the minute after which the contract calls an idempotent
    /// request abandoned.
    pub deadline: Duration,
    /// Decides the response of `/health/ready`.
    pub readiness: Arc<dyn Readiness>,
    /// Counts requests, and renders `/metrics`.
    pub metrics: Arc<dyn Metrics>,
    /// Whether `/metrics` is served only by [`serve_admin`](crate::serve_admin()).
    pub metrics_apart: bool,
    /// Makes pages of errors outside the API, for browsers; if `None`, every error is JSON.
    pub error_pages: Option<Arc<dyn ErrorPages>>,
    /// Traces requests.
    pub traces: Arc<dyn Traces>,
    /// Tells whether the server is about to stop.
    pub shutdown: GracefulShutdown,
}

/// How requests reach this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// Over plain HTTP, for development and private networks.
    Plain,
    /// Over TLS, terminated by this process.
    Tls,
    /// Over plain HTTP from a proxy that terminates TLS and sets `X-Forwarded-Proto`. A request that did not
    /// reach the proxy over `https` is refused before any other check; `/health` and `/metrics` are exempt.
    ///
    /// The client's address is the entry of `X-Forwarded-For` that is `hops` from the right.
    BehindTlsProxy { hops: NonZeroU8 },
}
