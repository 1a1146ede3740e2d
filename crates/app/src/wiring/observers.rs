//! What observes requests.

use std::sync::Arc;

use http_server::{Metrics, Traces};

use crate::metrics::rounds::WorkerHealth;

/// What observes requests.
pub struct Observers {
    /// Counts requests.
    pub metrics: Arc<dyn Metrics>,
    /// Makes their spans.
    pub traces: Arc<dyn Traces>,
    /// How the workers of this process do.
    pub workers: WorkerHealth,
}
