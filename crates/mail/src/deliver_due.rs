//! Delivers the mails that are due.

use std::num::NonZeroU32;
use std::sync::Arc;

use async_trait::async_trait;
use kernel::Clock;
use outbox::{Handler, NotDone, Queue, RetrySchedule};

use crate::ports::{MailQueue, MailTransport};
use crate::queued::{LeasedMail, QueuedMail};
use crate::schedule::SCHEDULE;

/// Hands mails from the queue to the transport; [`outbox::run`] runs it. Any number of mail workers, in any number of processes, share a
/// queue.
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

#[async_trait]
impl Handler for MailWorker {
    const NAME: &'static str = "mail";
    const SCHEDULE: RetrySchedule = SCHEDULE;
    type Work = QueuedMail;

    fn queue(&self) -> &dyn Queue<QueuedMail> {
        &*self.queue
    }

    fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    fn max_concurrent(&self) -> NonZeroU32 {
        self.max_concurrent
    }

    async fn handle(&self, mail: &LeasedMail) -> Result<(), NotDone> {
        Ok(self.transport.send(&mail.work).await?)
    }
}

#[cfg(test)]
mod tests;
