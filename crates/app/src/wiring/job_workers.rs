//! The workers of jobs: how each is built, and the list of all that a process starts.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;

use anyhow::Context as _;
use communications::{AnswerWorker, ContactMailer, InboundWorker, ReminderWorker};
use invoices::{LedgerTask, LedgerWorker, PayLinkWorker};
use kernel::{PublicUrls, SealingKeys};
use ledger_xero::XeroLedger;
use mail::MailWorker;
use outbox::{JobContext, Task as _, WorkThrottle};
use payments::{GatewayWorker, OnlinePayments};
use webhooks::{BulkReplayWorker, DeliveryWorker};

use super::Dependencies;
use super::adapters::webhook_client;
use super::communications::Senders;
use crate::workers::Workers;

/// How many mails are sent at once.
const MAILS_AT_ONCE: NonZeroU32 = NonZeroU32::MIN.saturating_add(7);

/// How many mails are rendered and stored at once. The other processors are left to requests: in a burst of
/// sent invoices the requests are served first, and the mail follows.
fn mails_prepared_at_once() -> NonZeroUsize {
    let processors = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    NonZeroUsize::new(processors.get().div_ceil(4)).unwrap_or(NonZeroUsize::MIN)
}

/// How many requests for links to payment pages are looked up at once.
const PAY_LINKS_AT_ONCE: NonZeroU32 = NonZeroU32::MIN.saturating_add(3);

/// How many calls to the ledger are under way at once: Xero takes five.
const LEDGER_CALLS_AT_ONCE: NonZeroU32 = NonZeroU32::MIN.saturating_add(3);

/// How many reminders are sent at once.
const REMINDERS_AT_ONCE: NonZeroU32 = NonZeroU32::MIN.saturating_add(7);

/// How many owners' answers are sent at once.
const ANSWERS_AT_ONCE: NonZeroU32 = NonZeroU32::MIN.saturating_add(3);

/// How many received messages are processed at once.
const INBOUND_AT_ONCE: NonZeroU32 = NonZeroU32::MIN.saturating_add(3);

/// How many calls to gateways the worker makes at once; those for payers come on top.
const GATEWAY_CALLS_AT_ONCE: NonZeroU32 = NonZeroU32::MIN.saturating_add(7);

impl Dependencies {
    /// Starts the worker of every kind of job, and returns the one that has periodic work too.
    ///
    /// # Errors
    /// One line that names the setting that cannot be used.
    pub(crate) fn start_job_workers(
        &self,
        workers: &mut Workers,
        urls: &PublicUrls,
        keys: &Arc<SealingKeys>,
        payments: OnlinePayments,
    ) -> anyhow::Result<DeliveryWorker> {
        let deliveries = self.delivery_worker(keys.clone())?;
        let senders = self.senders(urls)?;
        workers.job(deliveries.clone());
        workers.job(self.bulk_replay_worker());
        workers.job(self.gateway_worker(payments.clone()));
        workers.job(self.mail_worker(urls, keys.clone(), payments, senders.mail.clone())?);
        workers.job(self.pay_link_worker());
        workers.job(self.reminder_worker(urls, senders.clone()));
        workers.job(self.answer_worker(senders));
        workers.job(self.inbound_worker(urls)?);
        match self.ledger_worker()? {
            Some(ledger) => workers.job(ledger),
            None => workers.show_queue(LedgerTask::KIND),
        }
        Ok(deliveries)
    }

    /// The worker that renders queued mail and sends it through `mailer`.
    ///
    /// # Errors
    /// As [`Dependencies::email_templates`].
    fn mail_worker(
        &self,
        urls: &PublicUrls,
        keys: Arc<SealingKeys>,
        payments: OnlinePayments,
        mailer: ContactMailer,
    ) -> anyhow::Result<MailWorker> {
        Ok(MailWorker {
            jobs: self.jobs(MAILS_AT_ONCE),
            templates: self.email_templates(urls, keys, payments)?,
            transport: mailer.transport.clone(),
            correspondence: Some(Arc::new(self.mail_recorder(mailer))),
            throttle: WorkThrottle::at_most(mails_prepared_at_once()),
        })
    }

    /// The worker that mails links to payment pages on request.
    fn pay_link_worker(&self) -> PayLinkWorker {
        PayLinkWorker {
            jobs: self.jobs(PAY_LINKS_AT_ONCE),
            reads: self.store.payer_reads.clone(),
            store: self.store.invoicing.clone(),
            ids: self.ids.clone(),
        }
    }

    /// The worker that delivers webhooks.
    ///
    /// # Errors
    /// One line that names the setting that cannot be used.
    pub fn delivery_worker(&self, keys: Arc<SealingKeys>) -> anyhow::Result<DeliveryWorker> {
        Ok(DeliveryWorker {
            queue: self.store.delivery_queue.clone(),
            signal: self.store.delivery_signal.clone(),
            sender: Arc::new(webhook_client(&self.settings)?),
            keys,
            clock: self.clock.clone(),
            schedule: self.settings.webhook_schedule()?,
        })
    }

    /// The worker that replays many deliveries.
    fn bulk_replay_worker(&self) -> BulkReplayWorker {
        BulkReplayWorker {
            jobs: self.jobs(NonZeroU32::MIN),
            deliveries: self.store.delivery_store.clone(),
            ids: self.ids.clone(),
        }
    }

    /// The worker of tasks at gateways.
    fn gateway_worker(&self, payments: OnlinePayments) -> GatewayWorker {
        GatewayWorker { jobs: self.jobs(GATEWAY_CALLS_AT_ONCE), payments }
    }

    /// The worker that sends reminders.
    #[must_use]
    pub fn reminder_worker(&self, urls: &PublicUrls, senders: Senders) -> ReminderWorker {
        ReminderWorker {
            jobs: self.jobs(REMINDERS_AT_ONCE),
            service: self.reminder_service(),
            mail: senders.mail,
            sms: senders.sms,
            urls: urls.clone(),
        }
    }

    /// The worker that sends owners' answers.
    fn answer_worker(&self, senders: Senders) -> AnswerWorker {
        AnswerWorker {
            jobs: self.jobs(ANSWERS_AT_ONCE),
            service: self.answer_service(),
            mail: senders.mail,
            sms: senders.sms,
        }
    }

    /// The worker that processes received messages.
    ///
    /// # Errors
    /// One line that names the setting that cannot be used.
    fn inbound_worker(&self, urls: &PublicUrls) -> anyhow::Result<InboundWorker> {
        Ok(InboundWorker { service: self.inbound(urls)?, max_concurrent: INBOUND_AT_ONCE })
    }

    /// The worker of the ledger, if there is a ledger.
    ///
    /// # Errors
    /// One line that names the setting that cannot be used.
    fn ledger_worker(&self) -> anyhow::Result<Option<LedgerWorker>> {
        let Some(xero) = self.settings.xero()? else {
            return Ok(None);
        };
        let ledger = XeroLedger::new(xero, self.clock.clone()).context("COUNTINGHOUSE_XERO_*")?;
        Ok(Some(LedgerWorker {
            jobs: self.jobs(LEDGER_CALLS_AT_ONCE),
            ledger: Arc::new(ledger),
            store: self.store.invoicing.clone(),
            reads: self.store.invoice_reads.clone(),
            ids: self.ids.clone(),
        }))
    }

    fn jobs(&self, max_concurrent: NonZeroU32) -> JobContext {
        JobContext { queue: self.store.jobs.clone(), clock: self.clock.clone(), max_concurrent }
    }
}
