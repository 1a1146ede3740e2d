//! A round of attempts: lease, try, record.

use std::fmt;
use std::num::NonZeroU32;

use futures_util::future::join_all;
use kernel::{Clock, Entity, StoreError, retry_contended};
use time::OffsetDateTime;

use crate::failure::{Failure, NotDone};
use crate::outcome::Outcome;
use crate::queue::{Queue, Recorded};
use crate::schedule::Schedule;
use crate::work::{LEASE, Lease, Leased, Work};

/// Works off a queue. Any number of workers, in any number of processes, share one.
pub struct Worker<'a, W: Work> {
    /// Where the work waits.
    pub queue: &'a dyn Queue<W>,
    /// Tells the time.
    pub clock: &'a dyn Clock,
    /// When a failed attempt is followed by another.
    pub schedule: &'a Schedule,
    /// How many attempts are made at a time.
    pub max_concurrent: NonZeroU32,
}

impl<W: Work> fmt::Debug for Worker<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker")
            .field("schedule", &self.schedule)
            .field("max_concurrent", &self.max_concurrent)
            .finish_non_exhaustive()
    }
}

/// An attempt that was made.
#[derive(Debug)]
pub struct Attempted<E: Entity> {
    /// At which work, and its number.
    pub lease: Lease<E>,
    /// What came of it; `None` when our own store failed before that was known.
    pub outcome: Option<Outcome>,
    /// What came of recording that. After an error the lease runs out and the work is tried again.
    pub recorded: Result<Recorded, StoreError>,
}

/// What a round of attempts came to.
#[derive(Debug)]
pub struct Round<E: Entity> {
    /// The attempts, for the log of whoever asked for them.
    pub attempts: Vec<Attempted<E>>,
    /// Whether more work may be due: another round is worth it at once.
    pub more: bool,
}

impl<W: Work> Worker<'_, W> {
    /// Tries what is due, at most [`Worker::max_concurrent`] pieces of work and all at a time.
    ///
    /// No transaction is open during an attempt, but for those that it begins itself. Dropping the future loses nothing: what is
    /// not recorded is due again when its [`LEASE`] has run out.
    ///
    /// # Errors
    /// A [`StoreError`] when nothing could be leased; then nothing was tried.
    pub async fn work_off<F>(
        &self,
        attempt: impl Fn(Leased<W>) -> F,
    ) -> Result<Round<W::Entity>, StoreError>
    where
        F: Future<Output = Result<(), NotDone>>,
    {
        let most = self.max_concurrent.get();
        let leased = self.queue.lease_due(self.clock.now(), LEASE, most).await?;
        let attempts = leased.into_iter().map(|leased| {
            let (lease, queued_at) = (leased.lease(), leased.work.queued_at());
            self.settle(lease, queued_at, attempt(leased))
        });
        let attempts = join_all(attempts).await;
        let more = u32::try_from(attempts.len()).is_ok_and(|taken| taken >= most);
        Ok(Round { attempts, more })
    }

    async fn settle(
        &self,
        lease: Lease<W::Entity>,
        queued_at: OffsetDateTime,
        attempt: impl Future<Output = Result<(), NotDone>>,
    ) -> Attempted<W::Entity> {
        let done = attempt.await;
        let at = self.clock.now();
        let outcome = match done {
            Ok(()) => Outcome::Done { at },
            Err(NotDone::Failed(Failure::Temporary(reason))) => {
                Outcome::after_temporary(self.schedule, queued_at, lease.attempt, at, &reason)
            }
            Err(NotDone::Failed(Failure::Permanent(reason))) => {
                Outcome::after_permanent(at, &reason)
            }
            Err(NotDone::Store(error)) => {
                return Attempted {
                    lease,
                    outcome: None,
                    recorded: Err(error),
                };
            }
        };
        let recorded = retry_contended(|| self.queue.record(lease, &outcome)).await;
        Attempted {
            lease,
            outcome: Some(outcome),
            recorded,
        }
    }
}

#[cfg(test)]
mod tests;
