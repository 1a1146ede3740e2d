//! The table of all metrics with names and descriptions, used by `/metrics`, its tests and the test of the
//! dashboard.
//!
//! Names follow the conventions of Prometheus: the unit at the end, `_total` for counters. Metrics that every
//! HTTP service has carry their usual names; those of this service begin with `countinghouse_`.

use metrics::{describe_counter, describe_gauge, describe_histogram};

pub(super) const REQUESTS: &str = "http_requests_total";
pub(super) const RATE_LIMITED: &str = "http_requests_rate_limited_total";
pub(super) const UNAUTHENTICATED: &str = "http_requests_unauthenticated_total";
pub(super) const DURATION: &str = "http_request_duration_seconds";
pub(super) const BUILD: &str = "countinghouse_build_info";
pub(super) const STARTED: &str = "process_start_time_seconds";
pub(super) const POOL_MAX: &str = "countinghouse_db_pool_max_connections";
pub(super) const POOL_OPEN: &str = "countinghouse_db_pool_open_connections";
pub(super) const POOL_IDLE: &str = "countinghouse_db_pool_idle_connections";
pub(super) const POOL_WAITING: &str = "countinghouse_db_pool_waiting_tasks";
pub(super) const QUEUE_WAITING: &str = "countinghouse_queue_waiting_items";
pub(super) const QUEUE_AGE: &str = "countinghouse_queue_overdue_seconds";
pub(super) const WORKER_LAG: &str = "countinghouse_worker_lag_seconds";
pub(super) const WORKER_ROUNDS: &str = "countinghouse_worker_rounds_total";
pub(super) const WORKER_FAILURES: &str = "countinghouse_worker_consecutive_failures";
pub(super) const WORKER_SUCCESS: &str = "countinghouse_worker_last_success_timestamp_seconds";

pub(super) const INBOUND: &str = "countinghouse_inbound_messages_total";
pub(super) const MODEL_READINGS: &str = "countinghouse_language_model_readings_total";
pub(super) const QUARANTINED: &str = "countinghouse_inbound_quarantined_messages";

/// The type of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    /// It only grows.
    Counter,
    /// It goes up and down.
    Gauge,
    /// It counts into buckets: its series end in `_bucket`, `_sum` and `_count`.
    Histogram,
}

/// A metric: its name, type and description.
pub type Metric = (&'static str, MetricKind, &'static str);

/// Every metric of the service.
pub const METRICS: [Metric; 19] = [
    (REQUESTS, MetricKind::Counter, "Requests answered, by method, route and status"),
    (
        RATE_LIMITED,
        MetricKind::Counter,
        "Requests refused with 429 because a key had used up its quota, by route",
    ),
    (UNAUTHENTICATED, MetricKind::Counter, "Requests refused with 401 for want of a valid key, by route"),
    (DURATION, MetricKind::Histogram, "Time from a request's head to its response's, by method and route"),
    (BUILD, MetricKind::Gauge, "Always 1; the version and the database are in its labels"),
    (STARTED, MetricKind::Gauge, "When the process started, in seconds since 1970"),
    (POOL_MAX, MetricKind::Gauge, "The most database connections that this process opens"),
    (POOL_OPEN, MetricKind::Gauge, "Database connections that this process has open"),
    (POOL_IDLE, MetricKind::Gauge, "Open database connections that are idle"),
    (
        POOL_WAITING,
        MetricKind::Gauge,
        "Requests and workers of this process that wait for a database connection",
    ),
    (
        QUEUE_WAITING,
        MetricKind::Gauge,
        "Items of a queue that are not finished, in the whole database, looked at every five seconds",
    ),
    (
        QUEUE_AGE,
        MetricKind::Gauge,
        "How long the item of a queue that has been due longest has been due; 0 when none is",
    ),
    (WORKER_LAG, MetricKind::Gauge, "How much later than planned a worker's last round began"),
    (WORKER_ROUNDS, MetricKind::Counter, "Rounds of a worker, by outcome: succeeded or failed"),
    (WORKER_FAILURES, MetricKind::Gauge, "How many of a worker's last rounds in a row have failed"),
    (WORKER_SUCCESS, MetricKind::Gauge, "When a worker's last successful round ended, in seconds since 1970"),
    (
        INBOUND,
        MetricKind::Counter,
        "Messages that came in, by what became of them: handled, quarantined, automatic or dropped",
    ),
    (
        MODEL_READINGS,
        MetricKind::Counter,
        "Messages that the rules were unsure of and a language model may read, by outcome: taken, not_taken, failed or not_asked",
    ),
    (
        QUARANTINED,
        MetricKind::Gauge,
        "Messages that wait in quarantine for the operator, in the whole database, looked at every five seconds",
    ),
];

/// Registers the description of each metric for `/metrics`.
pub(super) fn describe() {
    for (name, kind, help) in METRICS {
        match kind {
            MetricKind::Counter => describe_counter!(name, help),
            MetricKind::Gauge => describe_gauge!(name, help),
            MetricKind::Histogram => describe_histogram!(name, help),
        }
    }
}
