//! Calls the ledger and stores the ids that it gives.

use std::num::NonZeroU32;
use std::sync::Arc;

use async_trait::async_trait;
use kernel::{Clock, Id, Ids, StoreError, retry_contended};
use outbox::{Failure, Handler, NotDone, Queue, RetrySchedule, error_chain};

use super::ports::{Ledger, LedgerTasks};
use super::schedule::SCHEDULE;
use super::task::{LeasedTask, LedgerTask, LedgerWork};
use crate::invoice::Invoice;
use crate::ledger_invoice_id::LedgerInvoiceId;
use crate::ports::{InvoiceReads, InvoicingStore};
use crate::status::Status;

/// Does in the ledger what is queued for it; [`outbox::run`] runs it. Any number of ledger workers, in any
/// number of processes, share a queue. A push that is made twice enters one invoice.
#[derive(Clone)]
pub struct LedgerWorker {
    /// Where tasks wait.
    pub tasks: Arc<LedgerTasks>,
    /// The accounting system.
    pub ledger: Arc<dyn Ledger>,
    /// Begins the transactions that write the ledger's ids on invoices.
    pub store: Arc<dyn InvoicingStore>,
    /// Reads the invoices to push.
    pub reads: Arc<dyn InvoiceReads>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes the ids of tasks.
    pub ids: Arc<dyn Ids>,
    /// How many calls are made at a time.
    pub max_concurrent: NonZeroU32,
}

#[async_trait]
impl Handler for LedgerWorker {
    const NAME: &'static str = "ledger";
    const SCHEDULE: RetrySchedule = SCHEDULE;
    type Work = LedgerTask;

    fn queue(&self) -> &dyn Queue<LedgerTask> {
        &*self.tasks
    }

    fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    fn max_concurrent(&self) -> NonZeroU32 {
        self.max_concurrent
    }

    async fn handle(&self, task: &LeasedTask) -> Result<(), NotDone> {
        match &task.work.what {
            LedgerWork::Push => self.push(task).await,
            LedgerWork::Void(id) => Ok(self.ledger.void(id).await?),
        }
    }
}

impl LedgerWorker {
    async fn push(&self, leased: &LeasedTask) -> Result<(), NotDone> {
        let task = &leased.work;
        let Some(invoice) = self.reads.get(task.account, task.invoice).await? else {
            return Ok(());
        };
        if invoice.ledger_invoice_id.is_some() || invoice.is_draft() {
            return Ok(());
        }
        let id = if invoice.status == Status::Cancelled {
            // What is cancelled is not pushed any more. But an earlier attempt may have come through without
            // our hearing of it.
            let found = match leased.attempt {
                0 | 1 => None,
                _ => self.ledger.find(&invoice).await?,
            };
            let Some(id) = found else { return Ok(()) };
            id
        } else {
            self.ledger.push(task.id, &invoice).await?
        };
        let entered = retry_contended(|| self.enter(task, &id)).await;
        entered.map_err(|error| match error {
            // Also when the ledger gave the id of another invoice, which the store refuses: given up in the
            // end.
            StoreError::Contended(_) => {
                let id = id.as_str();
                let reason = format!("cannot store the ledger's id {id}: {}", error_chain(&error));
                Failure::Temporary(reason).into()
            }
            error => error.into(),
        })
    }

    /// Writes the ledger's id on the invoice.
    async fn enter(&self, task: &LedgerTask, id: &LedgerInvoiceId) -> Result<(), StoreError> {
        let mut tx = self.store.begin(task.account).await?;
        let Some(mut invoice) = tx.invoices().lock(task.invoice).await? else {
            return Ok(());
        };
        let now = self.clock.now();
        if !invoice.enter_in_ledger(id.clone(), now) {
            return Ok(());
        }
        tx.invoices().update(&invoice, false).await?;
        if invoice.status == Status::Cancelled {
            let void = self.void_of(&invoice, id);
            tx.ledger().queue(&void).await?;
        }
        tx.commit().await
    }

    /// The task that voids an invoice which was cancelled while its push was under way.
    fn void_of(&self, invoice: &Invoice, id: &LedgerInvoiceId) -> LedgerTask {
        let now = self.clock.now();
        let what = LedgerWork::Void(id.clone());
        LedgerTask::new(Id::new(&*self.ids, now), invoice, what, now)
    }
}
