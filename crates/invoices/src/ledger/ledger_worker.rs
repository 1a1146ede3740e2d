//! Calls the ledger and stores the ids that it returns.

use std::sync::Arc;

use async_trait::async_trait;
use kernel::{AccountId, Id, Ids, SingleLine, StoreError, StoreResult, error_chain, retry_contended};
use outbox::{Failure, JobContext, JobHandler, Leased, NotDone, RetrySchedule};
use time::OffsetDateTime;

use super::payload::LedgerTask;
use super::ports::Ledger;
use super::schedule::SCHEDULE;
use crate::invoice::InvoiceId;
use crate::ledger_invoice_id::LedgerInvoiceId;
use crate::ports::{InvoiceReads, InvoicingStore};
use crate::status::InvoiceStatus;

/// Carries out the queued ledger tasks; [`outbox::run`] runs it. Any number of ledger workers, in any number
/// of processes, share a queue. A repeated push enters one invoice.
#[derive(Clone)]
pub struct LedgerWorker {
    /// The queued tasks, and how many calls are made at once.
    pub jobs: JobContext,
    /// The accounting system.
    pub ledger: Arc<dyn Ledger>,
    /// Begins the transactions that write the ledger's ids on invoices.
    pub store: Arc<dyn InvoicingStore>,
    /// Reads the invoices to push.
    pub reads: Arc<dyn InvoiceReads>,
    /// Generates the ids of tasks.
    pub ids: Arc<dyn Ids>,
}

#[async_trait]
impl JobHandler for LedgerWorker {
    const SCHEDULE: RetrySchedule = SCHEDULE;
    type Payload = LedgerTask;

    fn jobs(&self) -> &JobContext {
        &self.jobs
    }

    fn not_before(&self) -> Option<OffsetDateTime> {
        self.ledger.not_before()
    }

    async fn handle(&self, job: &Leased<LedgerTask>) -> Result<(), NotDone> {
        match &job.payload {
            LedgerTask::Push { invoice } => self.push(job, Id::from_uuid(*invoice)).await,
            LedgerTask::Void { ledger_invoice_id } => {
                Ok(self.ledger.void(&SingleLine::from_stored(ledger_invoice_id.clone())).await?)
            }
        }
    }
}

impl LedgerWorker {
    async fn push(&self, job: &Leased<LedgerTask>, invoice: InvoiceId) -> Result<(), NotDone> {
        let account = job.lease.account;
        let Some(invoice) = self.reads.get(account, invoice).await? else {
            return Ok(());
        };
        if invoice.ledger_invoice_id.is_some() || invoice.is_draft() {
            return Ok(());
        }
        // An earlier attempt may have succeeded although its response was lost. Another push would be another
        // request when the invoice was amended since. Attempts that the ledger postponed are not counted.
        let found = match job.lease.attempt {
            0 | 1 => None,
            _ => self.ledger.find(&invoice).await?,
        };
        let id = match found {
            Some(id) => id,
            None if invoice.status == InvoiceStatus::Cancelled => return Ok(()),
            None => self.ledger.push(job.lease.id, &invoice).await?,
        };
        let entered = retry_contended(|| self.enter(account, invoice.id, &id)).await;
        entered.map_err(|error| match error {
            // The store also refuses the id of another invoice: then the task is given up in the end.
            StoreError::Contended(_) => {
                let id = id.as_str();
                let reason = format!("cannot store the ledger's id {id}: {}", error_chain(&error));
                Failure::Temporary(reason).into()
            }
            error => error.into(),
        })
    }

    /// Writes the ledger's id on the invoice.
    async fn enter(&self, account: AccountId, invoice: InvoiceId, id: &LedgerInvoiceId) -> StoreResult<()> {
        let mut tx = self.store.begin(account).await?;
        let Some(mut invoice) = tx.invoices().lock(invoice).await? else {
            return Ok(());
        };
        let now = self.jobs.clock.now();
        if !invoice.enter_in_ledger(id.clone(), now) {
            return Ok(());
        }
        tx.invoices().update(&invoice, false).await?;
        if invoice.status == InvoiceStatus::Cancelled {
            // The invoice was cancelled during the push.
            tx.jobs().queue(LedgerTask::void(id).into_job(&invoice, &*self.ids, now)).await?;
        }
        tx.commit().await
    }
}
