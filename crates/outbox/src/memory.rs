//! A queue in memory, for examples and tests.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use kernel::{Id, StoreError};
use time::{Duration, OffsetDateTime};

use crate::outcome::Outcome;
use crate::queue::{Lease, Leased, Queue, Recorded, Work};

/// Jobs in memory.
#[derive(Debug)]
pub struct MemoryQueue<W: Work>(Mutex<BTreeMap<Id<W::Entity>, Waiting<W>>>);

#[derive(Debug)]
struct Waiting<W> {
    work: W,
    attempts: u32,
    /// When it is due: its next attempt, or the end of its lease.
    due_at: OffsetDateTime,
    last: Option<Outcome>,
}

impl<W> Waiting<W> {
    fn is_finished(&self) -> bool {
        self.last.as_ref().is_some_and(Outcome::is_final)
    }
}

impl<W: Work> Default for MemoryQueue<W> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<W: Work> MemoryQueue<W> {
    /// Queues a job, due at once.
    pub fn put(&self, work: &W) {
        let waiting = Waiting { work: work.clone(), attempts: 0, due_at: work.queued_at(), last: None };
        self.waiting().insert(work.id(), waiting);
    }

    /// The last recorded outcome of a job.
    #[must_use]
    pub fn last_outcome(&self, id: Id<W::Entity>) -> Option<Outcome> {
        self.waiting().get(&id)?.last.clone()
    }

    /// Every job in the order of the ids, with its last recorded outcome.
    #[must_use]
    pub fn all(&self) -> Vec<(W, Option<Outcome>)> {
        let waiting = self.waiting();
        let all = waiting.values().map(|one| (one.work.clone(), one.last.clone()));
        all.collect()
    }

    fn waiting(&self) -> MutexGuard<'_, BTreeMap<Id<W::Entity>, Waiting<W>>> {
        // No change to the map panics half way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl<W: Work> Queue<W> for MemoryQueue<W> {
    async fn lease_due(
        &self,
        now: OffsetDateTime,
        lease_for: Duration,
        most: u32,
    ) -> Result<Vec<Leased<W>>, StoreError> {
        let mut waiting = self.waiting();
        let mut due: Vec<_> =
            waiting.values_mut().filter(|one| !one.is_finished() && one.due_at <= now).collect();
        due.sort_by_key(|one| one.due_at);
        let lease = |one: &mut Waiting<W>| {
            one.attempts = one.attempts.saturating_add(1);
            one.due_at = now.saturating_add(lease_for);
            Leased { work: one.work.clone(), attempt: one.attempts }
        };
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Ok(due.into_iter().take(most).map(lease).collect())
    }

    async fn record(&self, lease: Lease<W::Entity>, outcome: &Outcome) -> Result<Recorded, StoreError> {
        let mut waiting = self.waiting();
        let holds = |one: &&mut Waiting<W>| {
            let done = matches!(outcome, Outcome::Done { .. });
            let own = one.work.account() == lease.account;
            own && !one.is_finished() && (done || one.attempts == lease.attempt)
        };
        let Some(one) = waiting.get_mut(&lease.id).filter(holds) else {
            return Ok(Recorded::LeaseLost);
        };
        if let Outcome::Retry { next_attempt_at, .. } = outcome {
            one.due_at = *next_attempt_at;
        }
        one.last = Some(outcome.clone());
        Ok(Recorded::Done)
    }
}
