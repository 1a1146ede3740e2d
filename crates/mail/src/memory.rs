//! A queue in memory: for examples, tests and programs that need no more. It shows what a store has to do.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use kernel::StoreError;
use time::{Duration, OffsetDateTime};

use crate::outcome::Outcome;
use crate::ports::{MailQueue, OutgoingMail, Recorded};
use crate::queued::{Lease, LeasedMail, MailId, QueuedMail};

/// Mails in memory, which are gone with the process. A shared reference to it is its own place in a transaction: what is
/// queued is due at once.
#[derive(Debug, Default)]
pub struct MemoryQueue(Mutex<BTreeMap<MailId, Waiting>>);

#[derive(Debug)]
struct Waiting {
    mail: QueuedMail,
    attempts: u32,
    /// When it is due: its next attempt, or the end of its lease.
    due_at: OffsetDateTime,
    last: Option<Outcome>,
}

impl Waiting {
    fn is_finished(&self) -> bool {
        matches!(
            self.last,
            Some(Outcome::Sent { .. } | Outcome::GivenUp { .. })
        )
    }
}

impl MemoryQueue {
    /// What was last recorded of a mail.
    #[must_use]
    pub fn last_outcome(&self, id: MailId) -> Option<Outcome> {
        self.mails().get(&id)?.last.clone()
    }

    fn mails(&self) -> MutexGuard<'_, BTreeMap<MailId, Waiting>> {
        // No change to the map stops half way, so a thread that panicked elsewhere leaves it sound.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl OutgoingMail for &MemoryQueue {
    async fn queue(&mut self, mail: &QueuedMail) -> Result<(), StoreError> {
        let waiting = Waiting {
            mail: mail.clone(),
            attempts: 0,
            due_at: mail.queued_at,
            last: None,
        };
        self.mails().insert(mail.id, waiting);
        Ok(())
    }
}

#[async_trait]
impl MailQueue for MemoryQueue {
    async fn lease_due(
        &self,
        now: OffsetDateTime,
        lease_for: Duration,
        most: u32,
    ) -> Result<Vec<LeasedMail>, StoreError> {
        let mut mails = self.mails();
        let mut due: Vec<_> = mails
            .values_mut()
            .filter(|waiting| !waiting.is_finished() && waiting.due_at <= now)
            .collect();
        due.sort_by_key(|waiting| waiting.due_at);
        let lease = |waiting: &mut Waiting| {
            waiting.attempts = waiting.attempts.saturating_add(1);
            waiting.due_at = now.saturating_add(lease_for);
            LeasedMail {
                mail: waiting.mail.clone(),
                attempt: waiting.attempts,
            }
        };
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Ok(due.into_iter().take(most).map(lease).collect())
    }

    async fn record(&self, lease: Lease, outcome: &Outcome) -> Result<Recorded, StoreError> {
        let mut mails = self.mails();
        let holds = |waiting: &&mut Waiting| {
            let sent = matches!(outcome, Outcome::Sent { .. });
            let own = waiting.mail.account == lease.account;
            own && !waiting.is_finished() && (sent || waiting.attempts == lease.attempt)
        };
        let Some(waiting) = mails.get_mut(&lease.id).filter(holds) else {
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
