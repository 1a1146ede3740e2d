//! Keeping the books: lease, call the ledger, write down what it said.

use std::num::NonZeroU32;
use std::sync::Arc;

use futures_util::future::join_all;
use kernel::{Clock, Id, Ids, StoreError};
use time::Duration;

use super::outcome::Outcome;
use super::ports::{Ledger, LedgerError, LedgerTasks, Recorded};
use super::task::{LeasedTask, LedgerInvoiceId, LedgerLease, LedgerTask, LedgerWork};
use crate::invoice::Invoice;
use crate::ports::{InvoiceReads, InvoicingStore};
use crate::status::Status;

/// Does in the ledger what is queued for it. Any number of bookkeepers, in any number of processes, share a queue.
#[derive(Clone)]
pub struct Bookkeeper {
    /// Where tasks wait.
    pub tasks: Arc<dyn LedgerTasks>,
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

/// An attempt that was made.
#[derive(Debug)]
pub struct Attempted {
    /// At which task, and its number.
    pub lease: LedgerLease,
    /// What came of it; `None` when the store failed before that was known.
    pub outcome: Option<Outcome>,
    /// What came of recording that. After an error the lease runs out and the task is tried again.
    pub recorded: Result<Recorded, StoreError>,
}

/// What a round came to.
#[derive(Debug, Default)]
pub struct Round {
    /// The attempts, for the log of whoever asked for them.
    pub attempts: Vec<Attempted>,
    /// Whether more tasks may be due: another round is worth it at once.
    pub more: bool,
}

/// Why a task is not done.
enum NotDone {
    /// The ledger did not do it.
    Ledger(LedgerError),
    /// The store failed: nothing is known that could be recorded.
    Store(StoreError),
}

impl From<LedgerError> for NotDone {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error)
    }
}

impl From<StoreError> for NotDone {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Bookkeeper {
    /// How long a task is leased for one attempt: far longer than a ledger takes, so that a lease runs out only when its process is
    /// gone.
    pub const LEASE: Duration = Duration::minutes(5);

    /// Tries the tasks that are due, at most [`Bookkeeper::max_concurrent`] of them and all at a time.
    ///
    /// No transaction is open while the ledger is called. Dropping the future loses nothing: what is not recorded is due again
    /// when its lease has run out, and a push that is made twice enters one invoice.
    ///
    /// # Errors
    /// A [`StoreError`] when no task could be leased; then none was tried.
    pub async fn work_off(&self) -> Result<Round, StoreError> {
        let most = self.max_concurrent.get();
        let now = self.clock.now();
        let leased = self.tasks.lease_due(now, Self::LEASE, most).await?;
        let attempts = join_all(leased.into_iter().map(|leased| self.attempt(leased))).await;
        let more = u32::try_from(attempts.len()).is_ok_and(|taken| taken >= most);
        Ok(Round { attempts, more })
    }

    async fn attempt(&self, leased: LeasedTask) -> Attempted {
        let lease = leased.lease();
        let done = match &leased.task.what {
            LedgerWork::Push => self.push(&leased).await,
            LedgerWork::Void(id) => self.ledger.void(id).await.map_err(NotDone::from),
        };
        let at = self.clock.now();
        let outcome = match done {
            Ok(()) => Outcome::Done { at },
            Err(NotDone::Ledger(LedgerError::Temporary(reason))) => {
                Outcome::after_temporary(leased.task.queued_at, leased.attempt, at, &reason)
            }
            Err(NotDone::Ledger(LedgerError::Permanent(reason))) => {
                Outcome::after_permanent(at, &reason)
            }
            Err(NotDone::Store(error)) => {
                return Attempted {
                    lease,
                    outcome: None,
                    recorded: Err(error),
                };
            }
        };
        let recorded = self.record(lease, &outcome).await;
        Attempted {
            lease,
            outcome: Some(outcome),
            recorded,
        }
    }

    async fn push(&self, leased: &LeasedTask) -> Result<(), NotDone> {
        let task = &leased.task;
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
        Ok(self.enter(task, &id).await?)
    }

    /// Writes the ledger's id on the invoice.
    async fn enter(&self, task: &LedgerTask, id: &LedgerInvoiceId) -> Result<(), StoreError> {
        for _ in 1..StoreError::TRIES {
            match self.try_to_enter(task, id).await {
                Err(error) if error.is_contended() => {}
                entered => return entered,
            }
        }
        self.try_to_enter(task, id).await
    }

    async fn try_to_enter(
        &self,
        task: &LedgerTask,
        id: &LedgerInvoiceId,
    ) -> Result<(), StoreError> {
        let mut tx = self.store.begin(task.account).await?;
        let Some(mut invoice) = tx.invoices().hold(task.invoice).await? else {
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

    async fn record(&self, lease: LedgerLease, outcome: &Outcome) -> Result<Recorded, StoreError> {
        for _ in 1..StoreError::TRIES {
            match self.tasks.record(lease, outcome).await {
                Err(error) if error.is_contended() => {}
                settled => return settled,
            }
        }
        self.tasks.record(lease, outcome).await
    }
}
