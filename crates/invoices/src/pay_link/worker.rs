//! Looks up requests for links, and mails the link if number and address match.

use std::num::NonZeroU32;
use std::sync::Arc;

use async_trait::async_trait;
use kernel::{Clock, EmailAddress, Id, Ids, StoreResult, retry_contended};
use mail::{Audience, NewMail};
use outbox::{Handler, Leased, NotDone, Queue, RetrySchedule};

use super::email::PayLinkEmail;
use super::payload::PayLinkTask;
use super::request::PayLinkRequest;
use crate::ports::{InvoicingStore, MailableInvoice, PayerReads};

/// Carries out requests for links to payment pages; [`outbox::run`] runs it.
#[derive(Clone)]
pub struct PayLinkWorker {
    /// The queued requests.
    pub queue: Arc<dyn Queue>,
    /// Finds the invoice.
    pub reads: Arc<dyn PayerReads>,
    /// Begins the transaction that queues the mail.
    pub store: Arc<dyn InvoicingStore>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Generates the ids of mails.
    pub ids: Arc<dyn Ids>,
    /// The number of concurrent look-ups.
    pub max_concurrent: NonZeroU32,
}

#[async_trait]
impl Handler for PayLinkWorker {
    const NAME: &'static str = PayLinkTask::KIND;
    const SCHEDULE: RetrySchedule =
        RetrySchedule { too_late: "not done within 24 hours", ..mail::schedule::SCHEDULE };
    type Payload = PayLinkTask;

    fn queue(&self) -> &dyn Queue {
        &*self.queue
    }

    fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    fn max_concurrent(&self) -> NonZeroU32 {
        self.max_concurrent
    }

    async fn handle(&self, job: &Leased<PayLinkTask>) -> Result<(), NotDone> {
        let request = PayLinkRequest::of(&job.payload);
        let found = self.reads.mailable_by_number(job.lease.account, &request.invoice_number).await?;
        let Some(found) = found else {
            return Ok(());
        };
        if let Some(to) = request.recipient(&found) {
            retry_contended(|| self.queue_mail(&found, to)).await?;
        }
        Ok(())
    }
}

impl PayLinkWorker {
    async fn queue_mail(&self, found: &MailableInvoice, to: &EmailAddress) -> StoreResult<()> {
        let MailableInvoice { invoice, contact } = found;
        let now = self.clock.now();
        let mail = NewMail {
            id: Id::new(&*self.ids, now),
            account: invoice.account,
            resource_id: Some(invoice.id.uuid()),
            template: PayLinkEmail::NAME,
            audience: Audience::Customer,
            to: to.clone(),
            payload: PayLinkEmail::payload(invoice, contact),
            queued_at: now,
        };
        let mut tx = self.store.begin(invoice.account).await?;
        tx.jobs().queue(mail.into_job()).await?;
        tx.commit().await
    }
}
