//! Keeping the books: call the ledger, write down what it said.

use std::num::NonZeroU32;
use std::sync::Arc;

use kernel::{Clock, Id, Ids, StoreError, retry_contended};
use outbox::{NotDone, Worker};
use time::Duration;

use super::ports::{Ledger, LedgerTasks};
use super::schedule::SCHEDULE;
use super::task::{LeasedTask, LedgerTask, LedgerTaskEntity, LedgerWork};
use crate::invoice::Invoice;
use crate::ledger_invoice_id::LedgerInvoiceId;
use crate::ports::{InvoiceReads, InvoicingStore};
use crate::status::Status;

/// Does in the ledger what is queued for it. Any number of bookkeepers, in any number of processes, share a queue.
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

/// What a round came to.
pub type Round = outbox::Round<LedgerTaskEntity>;

impl LedgerWorker {
    /// How long a task is leased for one attempt.
    pub const LEASE: Duration = outbox::LEASE;

    /// Tries the tasks that are due, at most [`LedgerWorker::max_concurrent`] of them and all at a time.
    ///
    /// No transaction is open while the ledger is called. Dropping the future loses nothing: what is not recorded is due again
    /// when its lease has run out, and a push that is made twice enters one invoice.
    ///
    /// # Errors
    /// A [`StoreError`] when no task could be leased; then none was tried.
    pub async fn work_off(&self) -> Result<Round, StoreError> {
        let worker = Worker {
            queue: &*self.tasks,
            clock: &*self.clock,
            schedule: &SCHEDULE,
            max_concurrent: self.max_concurrent,
        };
        worker.work_off(|leased| self.attempt(leased)).await
    }

    async fn attempt(&self, leased: LeasedTask) -> Result<(), NotDone> {
        match &leased.work.what {
            LedgerWork::Push => self.push(&leased).await,
            LedgerWork::Void(id) => Ok(self.ledger.void(id).await?),
        }
    }

    async fn push(&self, leased: &LeasedTask) -> Result<(), NotDone> {
        let task = &leased.work;
        let Some(invoice) = self.reads.get(task.account, task.invoice).await? else {
            return Ok(());
        };
        if invoice.ledger_invoice_id.is_some() || invoice.is_draft() {
            return Ok(());
        }
        let id = if invoice.status == Status::Cancelled {
            // What is cancelled is not pushed any more. But an earlier attempt may have come through without our hearing of it.
            let found = match leased.attempt {
                0 | 1 => None,
                _ => self.ledger.find(&invoice).await?,
            };
            let Some(id) = found else { return Ok(()) };
            id
        } else {
            self.ledger.push(task.id, &invoice).await?
        };
        Ok(retry_contended(|| self.enter(task, &id)).await?)
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
