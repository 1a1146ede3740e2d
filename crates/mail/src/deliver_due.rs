//! Delivering what is due: lease, send, record.

use std::num::NonZeroU32;
use std::sync::Arc;

use futures_util::future::join_all;
use kernel::{Clock, StoreError};
use time::Duration;

use crate::outcome::Outcome;
use crate::ports::{MailQueue, Recorded, Transport, TransportError};
use crate::queued::{Lease, LeasedMail};

/// Carries mails from the queue to the transport. Any number of postmen, in any number of processes, share a queue.
#[derive(Clone)]
pub struct Postman {
    /// Where mails wait.
    pub queue: Arc<dyn MailQueue>,
    /// The way to the mail server.
    pub transport: Arc<dyn Transport>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// How many mails are sent at a time.
    pub max_concurrent: NonZeroU32,
}

/// An attempt that was made.
#[derive(Debug)]
pub struct Attempted {
    /// At which mail, and its number.
    pub lease: Lease,
    /// What came of it.
    pub outcome: Outcome,
    /// What came of recording that. After an error the lease runs out and the mail is tried again.
    pub recorded: Result<Recorded, StoreError>,
}

/// What a round of deliveries came to.
#[derive(Debug, Default)]
pub struct Round {
    /// The attempts, for the log of whoever asked for them.
    pub attempts: Vec<Attempted>,
    /// Whether more mails may be due: another round is worth it at once.
    pub more: bool,
}

impl Postman {
    /// How long a mail is leased for one attempt: far longer than a transport takes, so that a lease runs out only when its process is
    /// gone.
    pub const LEASE: Duration = Duration::minutes(5);

    /// Tries the mails that are due, at most [`Postman::max_concurrent`] of them and all at a time.
    ///
    /// No transaction is open while the transport is at work. Dropping the future loses no mail: what is not recorded is due
    /// again when its lease has run out.
    ///
    /// # Errors
    /// A [`StoreError`] when no mail could be leased; then none was tried.
    pub async fn deliver_due(&self) -> Result<Round, StoreError> {
        let most = self.max_concurrent.get();
        let now = self.clock.now();
        let leased = self.queue.lease_due(now, Self::LEASE, most).await?;
        let attempts = join_all(leased.into_iter().map(|mail| self.attempt(mail))).await;
        let more = u32::try_from(attempts.len()).is_ok_and(|taken| taken >= most);
        Ok(Round { attempts, more })
    }

    async fn attempt(&self, leased: LeasedMail) -> Attempted {
        let sent = self.transport.send(&leased.mail).await;
        let at = self.clock.now();
        let outcome = match sent {
            Ok(()) => Outcome::Sent { at },
            Err(TransportError::Temporary(reason)) => {
                Outcome::after_temporary(leased.mail.queued_at, leased.attempt, at, &reason)
            }
            Err(TransportError::Permanent(reason)) => Outcome::after_permanent(at, &reason),
        };
        let lease = leased.lease();
        let recorded = self.record(lease, &outcome).await;
        Attempted {
            lease,
            outcome,
            recorded,
        }
    }

    async fn record(&self, lease: Lease, outcome: &Outcome) -> Result<Recorded, StoreError> {
        for _ in 1..StoreError::TRIES {
            match self.queue.record(lease, outcome).await {
                Err(error) if error.is_contended() => {}
                settled => return settled,
            }
        }
        self.queue.record(lease, outcome).await
    }
}

#[cfg(test)]
mod tests;
