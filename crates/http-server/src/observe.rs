//! Ports for counting and tracing requests, and for asking whether the process is ready.

use std::time::Duration;

use async_trait::async_trait;
use tracing::Span;

/// Traces requests: each is handled inside its own span.
pub trait Traces: Send + Sync {
    /// Starts the span of a request. `headers` finds a header of the request by its lower-case name, such as
    /// `traceparent`; `method` is as in [`Metrics::request`].
    fn begin<'a>(
        &self,
        method: &'static str,
        request_id: &str,
        headers: &dyn Fn(&str) -> Option<&'a str>,
    ) -> Span;

    /// Records the response in the span. `route` is the route's pattern, never the path.
    fn record_response(&self, span: &Span, method: &'static str, route: &str, status: u16);
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

    fn record_response(&self, _span: &Span, _method: &'static str, _route: &str, _status: u16) {}
}

/// Tells whether requests can be served.
#[async_trait]
pub trait Readiness: Send + Sync {
    /// Checks that everything that requests need is available.
    ///
    /// # Errors
    /// A description of what is missing, for the operator; shown at `/health/ready`.
    async fn ready(&self) -> Result<(), String>;
}

/// Collects the metrics of the process.
pub trait Metrics: Send + Sync {
    /// The metrics in the text format of Prometheus.
    fn render(&self) -> String;

    /// Counts one completed request. `route` is the route's pattern, never the path, and `method` is `OTHER`
    /// for uncommon methods, so that the number of series stays small.
    fn request(&self, method: &str, route: &str, status: u16, took: Duration);
}
