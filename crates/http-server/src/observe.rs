//! Ports by which requests are counted and traced, and the process is asked whether it can serve.

use std::time::Duration;

use async_trait::async_trait;
use tracing::Span;

/// Traces requests: each is worked on inside a span of its own.
pub trait Traces: Send + Sync {
    /// The span of a request that begins. `headers` finds a header of the request by its name in lower case,
    /// such as `traceparent`; `method` is as in [`Metrics::request`].
    fn begin<'a>(
        &self,
        method: &'static str,
        request_id: &str,
        headers: &dyn Fn(&str) -> Option<&'a str>,
    ) -> Span;

    /// Records in the span how the request was answered. `route` is the route's pattern and never the path.
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

/// Tells whether requests can be served.
#[async_trait]
pub trait Readiness: Send + Sync {
    /// Checks that everything is there that requests need.
    ///
    /// # Errors
    /// What is missing, for the operator; it is shown at `/health/ready`.
    async fn ready(&self) -> Result<(), String>;
}

/// Collects the figures of the process.
pub trait Metrics: Send + Sync {
    /// The figures in the text format of Prometheus.
    fn render(&self) -> String;

    /// Counts one answered request. `route` is the route's pattern and never the path, and `method` is
    /// `OTHER` for an uncommon one, so that the number of series stays small.
    fn request(&self, method: &str, route: &str, status: u16, took: Duration);
}
