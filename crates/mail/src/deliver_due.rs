//! Renders and sends the mails that are due.

use std::sync::Arc;

use async_trait::async_trait;
use kernel::StoreResult;
use outbox::{JobContext, JobHandler, Lease, Leased, NotDone, RetrySchedule, WorkThrottle, record_outcome};
use time::{Duration, OffsetDateTime};

use crate::correspondence::{Correspondence, SendDecision};
use crate::payload::MailTask;
use crate::ports::{MailTransport, MailTransportError};
use crate::queued::{QueuedMail, RenderedMail};
use crate::schedule::SCHEDULE;
use crate::template::{RenderError, Templates};

/// A mail that was ready sooner after its lease, which looked whether it is held, is sent without another
/// look.
const RECHECK_AFTER: Duration = Duration::milliseconds(100);

/// Why a mail is not attempted again that was given up or bounced before.
const FAILED_BEFORE: &str = "the mail failed before";

/// Renders mails from the queue and hands them to the transport; [`outbox::run`] runs it. Any number of mail
/// workers, in any number of processes, share a queue.
#[derive(Clone)]
pub struct MailWorker {
    /// The queue of mail jobs, and how many mails are sent at once.
    pub jobs: JobContext,
    /// The templates of all kinds of mail.
    pub templates: Templates,
    /// The transport to the mail server.
    pub transport: Arc<dyn MailTransport>,
    /// Stores mail to customers, if their replies are matched.
    pub correspondence: Option<Arc<dyn Correspondence>>,
    /// Turns for rendering and storing. Mail shares processors and store with the requests that queue it:
    /// with few turns, a burst of requests delays mail, not the requests.
    pub throttle: WorkThrottle,
}

#[async_trait]
impl JobHandler for MailWorker {
    const SCHEDULE: RetrySchedule = SCHEDULE;
    const WRITES_TO_CUSTOMERS: bool = true;
    type Payload = MailTask;

    fn jobs(&self) -> &JobContext {
        &self.jobs
    }

    /// A mail that cannot be rendered is given up, since its payload does not change; but while processes are
    /// restarted with another version or master key, another one may render it. A mail to a customer who must
    /// not be written to any more is given up too.
    async fn handle(&self, mail: &Leased<MailTask>) -> Result<(), NotDone> {
        let queued = QueuedMail::from(mail);
        let correspondence = self.correspondence_of(&queued);
        let begun_at = self.jobs.clock.now();
        let prepared = self.throttle.in_turn(self.prepare(mail.lease, &queued, correspondence)).await?;
        let Some((rendered, began_at)) = prepared else {
            return Ok(());
        };
        // Mail waits for its turn, and its account may have been switched off meanwhile.
        let waited = self.jobs.clock.now() - begun_at >= RECHECK_AFTER;
        let sent = self.send(mail.lease, &rendered, waited).await;
        if let Some(correspondence) = correspondence {
            match &sent {
                // At once: after a crash before this, the mail is sent again.
                Ok(()) => record_outcome(|| correspondence.sent(&queued, &rendered.message)).await?,
                // It may have been accepted: the contact counts as written to.
                Err(NotDone::Failed(MailTransportError::Unknown(_))) => {}
                Err(_) => {
                    if let Some(began_at) = began_at {
                        record_outcome(|| correspondence.not_accepted(&queued, began_at)).await?;
                    }
                }
            }
        }
        sent
    }

    async fn given_up(&self, mail: &Leased<MailTask>, reason: &str) -> StoreResult<()> {
        let queued = QueuedMail::from(mail);
        match self.correspondence_of(&queued) {
            Some(correspondence) => correspondence.failed(&queued, reason).await,
            None => Ok(()),
        }
    }
}

impl MailWorker {
    /// Where a mail is stored. Only mail to customers is, and only that has a letterhead.
    fn correspondence_of(&self, mail: &QueuedMail) -> Option<&dyn Correspondence> {
        self.correspondence.as_deref().filter(|_| mail.letterhead.is_some())
    }

    /// Sends a mail, unless its account is held, which is looked up again if the mail has waited.
    async fn send(&self, lease: Lease, rendered: &RenderedMail, waited: bool) -> Result<(), NotDone> {
        if waited && self.jobs.queue.is_held(lease).await? {
            return Err(NotDone::Held);
        }
        lease.check(self.jobs.clock.now())?;
        self.transport.send(rendered).await.map_err(NotDone::from)
    }

    /// The mail to send, and when its attempt began ([`SendDecision::Send`]); `None` if it was sent already.
    async fn prepare(
        &self,
        lease: Lease,
        queued: &QueuedMail,
        correspondence: Option<&dyn Correspondence>,
    ) -> Result<Option<(RenderedMail, Option<OffsetDateTime>)>, NotDone> {
        let rendered = self.templates.render(queued).await;
        let mut rendered = rendered.map_err(|error| match error {
            RenderError::Store(error) => NotDone::from(error),
            error if error.may_pass() => MailTransportError::Temporary(error.to_string()).into(),
            error => MailTransportError::Permanent(error.to_string()).into(),
        })?;
        let mut began = None;
        if let Some(correspondence) = correspondence {
            // If the process ends after this, the attempt counts as perhaps sent.
            lease.check(self.jobs.clock.now())?;
            let message_id = self.transport.message_id(queued.id);
            match correspondence.begin(queued, &rendered.message, &message_id).await? {
                SendDecision::Send { reply_to, began_at } => {
                    rendered.message.reply_to = reply_to.or(rendered.message.reply_to);
                    began = began_at;
                }
                SendDecision::AlreadySent => return Ok(None),
                SendDecision::FailedBefore => {
                    return Err(MailTransportError::Permanent(FAILED_BEFORE.to_owned()).into());
                }
                SendDecision::Unwanted(reason) => return Err(NotDone::Unwanted(reason)),
            }
        }
        Ok(Some((rendered, began)))
    }
}

#[cfg(test)]
mod tests;
