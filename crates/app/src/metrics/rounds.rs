//! The rounds of a worker: how late they begin, how they end, and when the last one went well.

use std::sync::Arc;
use std::time::Duration;

use kernel::Clock;
use metrics::{counter, gauge};

use super::catalogue::{WORKER_LAG, WORKER_ROUNDS, WORKER_SUCCESS};
use super::seconds;

/// Notes the rounds of one worker.
pub struct Rounds {
    worker: &'static str,
    clock: Arc<dyn Clock>,
}

impl Rounds {
    /// The rounds of the worker of this name.
    #[must_use]
    pub const fn of(worker: &'static str, clock: Arc<dyn Clock>) -> Self {
        Self { worker, clock }
    }

    /// A round begins, so much later than planned.
    pub fn began(&self, late: Duration) {
        gauge!(WORKER_LAG, "worker" => self.worker).set(late);
    }

    /// A round has ended.
    pub fn ended(&self, well: bool) {
        let outcome = if well { "succeeded" } else { "failed" };
        counter!(WORKER_ROUNDS, "worker" => self.worker, "outcome" => outcome).increment(1);
        if well {
            gauge!(WORKER_SUCCESS, "worker" => self.worker).set(seconds(self.clock.now()));
        }
    }
}
