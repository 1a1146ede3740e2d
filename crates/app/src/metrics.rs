//! Figures for Prometheus.

use std::time::Duration;

use http_actix::Metrics;
use metrics::{counter, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

/// Buckets of the latency histogram, in seconds.
const BUCKETS: [f64; 11] = [
    0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0,
];

/// The process's figures.
#[derive(Clone)]
pub struct Figures(PrometheusHandle);

impl Figures {
    /// Begins to collect figures, for the whole process.
    ///
    /// # Errors
    /// When something else collects them already.
    pub fn begin() -> anyhow::Result<Self> {
        let duration = Matcher::Full("http_request_duration_seconds".to_owned());
        let builder = PrometheusBuilder::new().set_buckets_for_metric(duration, &BUCKETS)?;
        Ok(Self(builder.install_recorder()?))
    }

    /// Tidies figures up; to be called now and then, so that memory does not grow.
    pub fn upkeep(&self) {
        self.0.run_upkeep();
    }
}

impl Metrics for Figures {
    fn render(&self) -> String {
        self.0.render()
    }

    fn request(&self, method: &str, route: &str, status: u16, took: Duration) {
        let labels = [
            ("method", method.to_owned()),
            ("route", route.to_owned()),
            ("status", status.to_string()),
        ];
        counter!("http_requests_total", &labels).increment(1);
        if status == 429 {
            counter!("http_requests_rate_limited_total", "route" => route.to_owned()).increment(1);
        }
        histogram!("http_request_duration_seconds", "method" => method.to_owned(), "route" => route.to_owned())
            .record(took.as_secs_f64());
    }
}
