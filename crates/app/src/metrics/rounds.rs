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

/// How many rounds of a worker in a row have failed.
#[derive(Debug, Clone, Copy, Default)]
struct FailedRounds {
    for_any_reason: u32,
    /// For another reason than a damaged row, which every process has: traffic that goes to another one would
    /// gain nothing.
    of_the_process: u32,
}

/// For each worker of this process: how many rounds in a row have failed.
#[derive(Debug, Clone, Default)]
pub struct WorkerHealth(Arc<Mutex<BTreeMap<&'static str, FailedRounds>>>);

impl WorkerHealth {
    /// The workers that failed in each of their last three rounds, but not because of a damaged row.
    #[must_use]
    pub fn failing(&self) -> Vec<&'static str> {
        let failures = self.failures();
        let failing = failures.iter().filter(|(_, failures)| failures.of_the_process >= FAILING_AFTER);
        failing.map(|(worker, _)| *worker).collect()
    }

    /// Returns how many rounds in a row have failed now.
    fn ended(&self, worker: &'static str, result: Result<(), &StoreError>) -> u32 {
        let mut failures = self.failures();
        let in_a_row = failures.entry(worker).or_default();
        let counted = |count: u32, has_failed| if has_failed { count.saturating_add(1) } else { 0 };
        let of_the_process = result.is_err_and(|error| !matches!(error, StoreError::Inconsistent { .. }));
        *in_a_row = FailedRounds {
            for_any_reason: counted(in_a_row.for_any_reason, result.is_err()),
            of_the_process: counted(in_a_row.of_the_process, of_the_process),
        };
        in_a_row.for_any_reason
    }

    fn failures(&self) -> MutexGuard<'_, BTreeMap<&'static str, FailedRounds>> {
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
        let in_a_row = self.health.ended(self.worker, result);
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
        let (health, away) = (WorkerHealth::default(), StoreError::Unavailable("no connection".into()));
        for failing in [false, false, true, true] {
            health.ended("mail", Err(&away));
            health.ended("due-dates", Ok(()));
            assert_eq!(health.failing() == ["mail"], failing);
        }
        health.ended("mail", Ok(()));
        assert_eq!(health.failing(), Vec::<&str>::new());
    }

    #[test]
    fn damaged_row_is_counted_and_does_not_take_the_process_out_of_service() {
        let health = WorkerHealth::default();
        let damaged = StoreError::Inconsistent {
            table: "reminder_policies",
            id: "1".to_owned(),
            what: "steps".to_owned(),
        };
        for in_a_row in 1..=4 {
            assert_eq!(health.ended("reminders", Err(&damaged)), in_a_row);
        }
        assert_eq!(health.failing(), Vec::<&str>::new());
    }
}
