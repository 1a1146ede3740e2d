//! Renders and sends the mails that are due.

use std::num::NonZeroU32;
use std::sync::Arc;

use async_trait::async_trait;
use kernel::Clock;
use outbox::{Handler, Leased, NotDone, Queue, RetrySchedule};

use crate::correspondence::Correspondence;
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
    /// Keeps what goes to customers, where their answers are matched.
    pub correspondence: Option<Arc<dyn Correspondence>>,
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
        let queued = QueuedMail::from(mail);
        let rendered = self.templates.render(&queued).await;
        let mut rendered = rendered.map_err(|error| MailTransportError::Permanent(error.to_string()))?;
        // Only mail to customers has a letterhead.
        let kept = self.correspondence.as_ref().filter(|_| queued.letterhead.is_some());
        if let Some(kept) = kept {
            let message_id = self.transport.message_id(queued.id);
            let reply_to = kept.begin(&queued, &rendered.message, &message_id).await?;
            rendered.message.reply_to = reply_to.or(rendered.message.reply_to);
        }
        self.transport.send(&rendered).await?;
        if let Some(kept) = kept {
            kept.sent(&queued, &rendered.message).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
