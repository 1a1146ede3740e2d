//! Delivering what is due.

use std::num::NonZeroU32;
use std::sync::Arc;

use kernel::{Clock, StoreError};
use outbox::{NotDone, Worker};
use time::Duration;

use crate::ports::{MailQueue, MailTransport};
use crate::queued::{LeasedMail, MailEntity};
use crate::schedule::SCHEDULE;

/// Carries mails from the queue to the transport. Any number of mail workers, in any number of processes, share a queue.
#[derive(Clone)]
pub struct MailWorker {
    /// Where mails wait.
    pub queue: Arc<MailQueue>,
    /// The way to the mail server.
    pub transport: Arc<dyn MailTransport>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// How many mails are sent at a time.
    pub max_concurrent: NonZeroU32,
}

/// What a round of deliveries came to.
pub type Round = outbox::Round<MailEntity>;

impl MailWorker {
    /// How long a mail is leased for one attempt.
    pub const LEASE: Duration = outbox::LEASE;

    /// Tries the mails that are due, at most [`MailWorker::max_concurrent`] of them and all at a time.
    ///
    /// No transaction is open while the transport is at work. Dropping the future loses no mail: what is not recorded is due
    /// again when its lease has run out.
    ///
    /// # Errors
    /// A [`StoreError`] when no mail could be leased; then none was tried.
    pub async fn deliver_due(&self) -> Result<Round, StoreError> {
        let worker = Worker {
            queue: &*self.queue,
            clock: &*self.clock,
            schedule: &SCHEDULE,
            max_concurrent: self.max_concurrent,
        };
        worker.work_off(|leased| self.send(leased)).await
    }

    async fn send(&self, leased: LeasedMail) -> Result<(), NotDone> {
        Ok(self.transport.send(&leased.work).await?)
    }
}

#[cfg(test)]
mod tests;
