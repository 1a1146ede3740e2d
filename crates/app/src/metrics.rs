//! Metrics for Prometheus.

pub mod catalogue;
pub mod inbound;
pub mod queues;
pub mod rounds;

use std::sync::Arc;
use std::time::Duration;

use http_server::Metrics;
use metrics::{counter, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use store_diesel::{PoolStatus, Upkeep};
use time::OffsetDateTime;

use self::catalogue::{
    BUILD, DURATION, POOL_IDLE, POOL_MAX, POOL_OPEN, POOL_WAITING, RATE_LIMITED, REQUESTS, STARTED,
    UNAUTHENTICATED,
};

/// Buckets of the latency histogram, in seconds.
const BUCKETS: [f64; 11] = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// The metrics of this process.
#[derive(Clone)]
pub struct PrometheusMetrics {
    shown: PrometheusHandle,
    upkeep: Arc<dyn Upkeep>,
}

impl PrometheusMetrics {
    /// Starts collecting the metrics of the process, which started `at`.
    ///
    /// # Errors
    /// When a recorder is already installed.
    pub fn begin(upkeep: Arc<dyn Upkeep>, at: OffsetDateTime) -> anyhow::Result<Self> {
        let duration = Matcher::Full(DURATION.to_owned());
        let builder = PrometheusBuilder::new().set_buckets_for_metric(duration, &BUCKETS)?;
        let shown = builder.install_recorder()?;
        catalogue::describe();
        let (version, database) = (env!("CARGO_PKG_VERSION"), upkeep.kind().name());
        gauge!(BUILD, "version" => version, "database" => database).set(1.0);
        gauge!(STARTED).set(seconds(at));
        Ok(Self { shown, upkeep })
    }

    /// Moves the durations of requests into their histogram. Until then each is kept in memory.
    pub fn upkeep(&self) {
        self.shown.run_upkeep();
    }
}

impl Metrics for PrometheusMetrics {
    fn render(&self) -> String {
        // The pool counts in memory, so reading it costs nothing and the values are current.
        show_pool(self.upkeep.pool_status());
        self.shown.render()
    }

    fn request(&self, method: &str, route: &str, status: u16, took: Duration) {
        let labels =
            [("method", method.to_owned()), ("route", route.to_owned()), ("status", status.to_string())];
        counter!(REQUESTS, &labels).increment(1);
        for (refused, refusals) in [(401, UNAUTHENTICATED), (429, RATE_LIMITED)] {
            if status == refused {
                counter!(refusals, "route" => route.to_owned()).increment(1);
            }
        }
        histogram!(DURATION, "method" => method.to_owned(), "route" => route.to_owned())
            .record(took.as_secs_f64());
    }
}

fn show_pool(pool: PoolStatus) {
    for (name, value) in [
        (POOL_MAX, pool.max_connections),
        (POOL_OPEN, pool.open),
        (POOL_IDLE, pool.available),
        (POOL_WAITING, pool.waiting),
    ] {
        gauge!(name).set(count(value));
    }
}

/// Converts a count for a gauge; counts above `u32::MAX` are shown as `u32::MAX`.
fn count(number: impl TryInto<u32>) -> f64 {
    f64::from(number.try_into().unwrap_or(u32::MAX))
}

/// An instant in seconds since 1970.
fn seconds(at: OffsetDateTime) -> f64 {
    length(at - OffsetDateTime::UNIX_EPOCH)
}

fn length(length: time::Duration) -> f64 {
    length.as_seconds_f64()
}

#[cfg(test)]
mod tests;
