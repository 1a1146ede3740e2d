//! Renders and sends the mails that are due.

use std::num::NonZeroU32;
use std::sync::Arc;

use async_trait::async_trait;
use kernel::Clock;
use outbox::{Handler, Leased, NotDone, Queue, RetrySchedule};

use crate::payload::MailJob;
use crate::ports::{MailTransport, MailTransportError};
use crate::queued::QueuedMail;
use crate::schedule::SCHEDULE;
use crate::template::Templates;

/// Renders mails from the queue and hands them to the transport; [`outbox::run`] runs it. Any number of mail
/// workers, in any number of processes, share a queue.
#[derive(Clone)]
pub struct MailWorker {
    /// The jobs that wait.
    pub queue: Arc<dyn Queue>,
    /// The templates of all kinds of mail.
    pub templates: Templates,
    /// The way to the mail server.
    pub transport: Arc<dyn MailTransport>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// How many mails are rendered and sent at a time.
    pub max_concurrent: NonZeroU32,
}

#[async_trait]
impl Handler for MailWorker {
    const NAME: &'static str = MailJob::KIND;
    const SCHEDULE: RetrySchedule = SCHEDULE;
    const WRITES_TO_CUSTOMERS: bool = true;
    type Payload = MailJob;

    fn queue(&self) -> &dyn Queue {
        &*self.queue
    }

    fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    fn max_concurrent(&self) -> NonZeroU32 {
        self.max_concurrent
    }

    /// A mail that cannot be rendered is given up: its payload does not change, so that no later attempt
    /// could succeed.
    async fn handle(&self, mail: &Leased<MailJob>) -> Result<(), NotDone> {
        let rendered = self.templates.render(&QueuedMail::from(mail)).await;
        let rendered = rendered.map_err(|error| MailTransportError::Permanent(error.to_string()))?;
        Ok(self.transport.send(&rendered).await?)
    }
}

#[cfg(test)]
mod tests;
