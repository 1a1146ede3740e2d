//! Metrics of the rounds of a worker: how late they begin, how they end, and how many in a row have failed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kernel::{Clock, StoreError};
use metrics::{counter, gauge};
use outbox::Monitor;

use super::catalogue::{WORKER_FAILURES, WORKER_LAG, WORKER_ROUNDS, WORKER_SUCCESS};
use super::seconds;

/// A worker counts as failing after this many failed rounds in a row.
const FAILING_AFTER: u32 = 3;

/// For each worker of this process: how many rounds in a row have failed.
#[derive(Debug, Clone, Default)]
pub struct WorkerHealth(Arc<Mutex<BTreeMap<&'static str, u32>>>);

impl WorkerHealth {
    /// The workers that failed in each of their last three rounds.
    #[must_use]
    pub fn failing(&self) -> Vec<&'static str> {
        let failures = self.failures();
        let failing = failures.iter().filter(|(_, failures)| **failures >= FAILING_AFTER);
        failing.map(|(worker, _)| *worker).collect()
    }

    fn ended(&self, worker: &'static str, well: bool) -> u32 {
        let mut failures = self.failures();
        let in_a_row = failures.entry(worker).or_default();
        *in_a_row = if well { 0 } else { in_a_row.saturating_add(1) };
        *in_a_row
    }

    fn failures(&self) -> MutexGuard<'_, BTreeMap<&'static str, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records the rounds of one worker.
pub struct Rounds {
    worker: &'static str,
    clock: Arc<dyn Clock>,
    health: WorkerHealth,
}

impl Rounds {
    /// Records the rounds of the worker of this name.
    #[must_use]
    pub const fn new(worker: &'static str, clock: Arc<dyn Clock>, health: WorkerHealth) -> Self {
        Self { worker, clock, health }
    }
}

impl Monitor for Rounds {
    fn began(&self, late: Duration) {
        gauge!(WORKER_LAG, "worker" => self.worker).set(late);
    }

    fn ended(&self, result: Result<(), &StoreError>) {
        let well = result.is_ok();
        let outcome = if well { "succeeded" } else { "failed" };
        counter!(WORKER_ROUNDS, "worker" => self.worker, "outcome" => outcome).increment(1);
        let in_a_row = self.health.ended(self.worker, well);
        gauge!(WORKER_FAILURES, "worker" => self.worker).set(in_a_row);
        if well {
            gauge!(WORKER_SUCCESS, "worker" => self.worker).set(seconds(self.clock.now()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worker_is_failing_after_three_failed_rounds_until_one_succeeds() {
        let health = WorkerHealth::default();
        for failing in [false, false, true, true] {
            health.ended("mail", false);
            health.ended("due-dates", true);
            assert_eq!(health.failing() == ["mail"], failing);
        }
        health.ended("mail", true);
        assert_eq!(health.failing(), Vec::<&str>::new());
    }
}
