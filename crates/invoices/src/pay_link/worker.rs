//! Looks up requests for links, and mails the link if number and address match.

use std::sync::Arc;

use async_trait::async_trait;
use kernel::{EmailAddress, Id, Ids, StoreResult, retry_contended};
use mail::{Audience, NewMail};
use outbox::{JobContext, JobHandler, Leased, NotDone, RetrySchedule};

use super::email::PayLinkEmail;
use super::payload::PayLinkTask;
use super::request::PayLinkRequest;
use crate::ports::{InvoicingStore, MailableInvoice, PayerReads};

/// Carries out requests for links to payment pages; [`outbox::run`] runs it.
#[derive(Clone)]
pub struct PayLinkWorker {
    /// The queued requests, and how many are looked up at once.
    pub jobs: JobContext,
    /// Finds the invoice.
    pub reads: Arc<dyn PayerReads>,
    /// Begins the transaction that queues the mail.
    pub store: Arc<dyn InvoicingStore>,
    /// Generates the ids of mails.
    pub ids: Arc<dyn Ids>,
}

#[async_trait]
impl JobHandler for PayLinkWorker {
    const SCHEDULE: RetrySchedule =
        RetrySchedule { too_late: "not done within 24 hours", ..mail::schedule::SCHEDULE };
    type Payload = PayLinkTask;

    fn jobs(&self) -> &JobContext {
        &self.jobs
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
        let now = self.jobs.clock.now();
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
