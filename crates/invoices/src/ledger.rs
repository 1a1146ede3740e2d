//! The ledger: the external accounting system that gets a copy of every issued invoice.
//!
//! Issuing an invoice queues a [`LedgerTask`] that pushes it, cancelling one that the ledger has queues a
//! task that voids it, each as a job of the transaction that issues or cancels. Afterwards a [`LedgerWorker`]
//! leases what is due, calls the [`Ledger`] outside any transaction, and records what came of it: done, to be
//! tried again after growing waits, or given up with the reason kept, as the crate [`outbox`] has it.
//! Whatever the ledger says, the invoice stays issued or cancelled.
//!
//! A process that is killed between the call and the record makes the call again, so a push carries a key,
//! the id of its task, and a [`Ledger`] makes one invoice for one key. The id that the ledger gives is
//! written on the invoice in a transaction that holds the invoice; if it was cancelled while the push was
//! under way, that transaction queues the task that voids it again.
//!
//! Without a ledger ([`Invoicing::ledger`](crate::Invoicing::ledger) is `false`) nothing is queued. An
//! invoice that is amended after its push keeps what the ledger has: amendments are not carried over. One
//! that is amended before its push is pushed as it is then.

pub mod ledger_worker;
pub mod payload;
pub mod ports;
pub mod schedule;

pub use ledger_worker::LedgerWorker;
pub use outbox::{Outcome, Recorded};
pub use payload::{LedgerTask, LedgerTaskId};
pub use ports::{Ledger, LedgerError};

use kernel::StoreError;
use time::OffsetDateTime;

use crate::invoice::Invoice;
use crate::invoicing::Invoicing;
use crate::ports::InvoicingTx;

impl Invoicing {
    /// Queues the push of an invoice that was issued in this transaction, where there is a ledger to push it
    /// to.
    pub(crate) async fn queue_push(
        &self,
        tx: &mut dyn InvoicingTx,
        invoice: &Invoice,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        if !self.ledger || invoice.is_draft() {
            return Ok(());
        }
        tx.jobs().queue(LedgerTask::push(invoice.id).into_job(invoice, &*self.ids, now)).await
    }

    /// Queues the voiding of an invoice that was cancelled in this transaction, where the ledger has it. One
    /// whose push is still to come or under way is left to the [`LedgerWorker`], who sees the cancellation.
    pub(crate) async fn queue_void(
        &self,
        tx: &mut dyn InvoicingTx,
        invoice: &Invoice,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let Some(id) = invoice.ledger_invoice_id.as_ref().filter(|_| self.ledger) else {
            return Ok(());
        };
        tx.jobs().queue(LedgerTask::void(id).into_job(invoice, &*self.ids, now)).await
    }
}
