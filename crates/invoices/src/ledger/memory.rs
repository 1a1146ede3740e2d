//! Tasks in memory: for examples, tests and programs that need no more. It shows what a store has to do.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use kernel::StoreError;
use time::{Duration, OffsetDateTime};

use super::outcome::Outcome;
use super::ports::{LedgerQueue, LedgerTasks, Recorded};
use super::task::{LeasedTask, LedgerLease, LedgerTask, LedgerTaskId};

/// Tasks in memory, which are gone with the process. A shared reference to it is its own place in a transaction: what is
/// queued is due at once.
#[derive(Debug, Default)]
pub struct MemoryLedgerTasks(Mutex<BTreeMap<LedgerTaskId, Waiting>>);

#[derive(Debug)]
struct Waiting {
    task: LedgerTask,
    attempts: u32,
    /// When it is due: its next attempt, or the end of its lease.
    due_at: OffsetDateTime,
    last: Option<Outcome>,
}

impl Waiting {
    fn is_finished(&self) -> bool {
        matches!(
            self.last,
            Some(Outcome::Done { .. } | Outcome::GivenUp { .. })
        )
    }
}

impl MemoryLedgerTasks {
    /// Every task that was queued, in the order of their ids, with what was last recorded of it.
    #[must_use]
    pub fn all(&self) -> Vec<(LedgerTask, Option<Outcome>)> {
        let tasks = self.tasks();
        let all = tasks
            .values()
            .map(|one| (one.task.clone(), one.last.clone()));
        all.collect()
    }

    fn tasks(&self) -> MutexGuard<'_, BTreeMap<LedgerTaskId, Waiting>> {
        // No change to the map stops half way, so a thread that panicked elsewhere leaves it sound.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl LedgerQueue for &MemoryLedgerTasks {
    async fn queue(&mut self, task: &LedgerTask) -> Result<(), StoreError> {
        let waiting = Waiting {
            task: task.clone(),
            attempts: 0,
            due_at: task.queued_at,
            last: None,
        };
        self.tasks().insert(task.id, waiting);
        Ok(())
    }
}

#[async_trait]
impl LedgerTasks for MemoryLedgerTasks {
    async fn lease_due(
        &self,
        now: OffsetDateTime,
        lease_for: Duration,
        most: u32,
    ) -> Result<Vec<LeasedTask>, StoreError> {
        let mut tasks = self.tasks();
        let mut due: Vec<_> = tasks
            .values_mut()
            .filter(|waiting| !waiting.is_finished() && waiting.due_at <= now)
            .collect();
        due.sort_by_key(|waiting| waiting.due_at);
        let lease = |waiting: &mut Waiting| {
            waiting.attempts = waiting.attempts.saturating_add(1);
            waiting.due_at = now.saturating_add(lease_for);
            LeasedTask {
                task: waiting.task.clone(),
                attempt: waiting.attempts,
            }
        };
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Ok(due.into_iter().take(most).map(lease).collect())
    }

    async fn record(&self, lease: LedgerLease, outcome: &Outcome) -> Result<Recorded, StoreError> {
        let mut tasks = self.tasks();
        let holds = |waiting: &&mut Waiting| {
            let done = matches!(outcome, Outcome::Done { .. });
            let own = waiting.task.account == lease.account;
            own && !waiting.is_finished() && (done || waiting.attempts == lease.attempt)
        };
        let Some(waiting) = tasks.get_mut(&lease.id).filter(holds) else {
            return Ok(Recorded::LeaseLost);
        };
        if let Outcome::Retry {
            next_attempt_at, ..
        } = outcome
        {
            waiting.due_at = *next_attempt_at;
        }
        waiting.last = Some(outcome.clone());
        Ok(Recorded::Done)
    }
}
