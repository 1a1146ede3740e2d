//! The ledger: the external accounting system that receives a copy of every issued invoice.
//!
//! Issuing an invoice queues a [`LedgerTask`] that pushes it. Cancelling an invoice that the ledger has
//! queues a task that voids it. Each task is a job of the transaction that issues or cancels. Afterwards a
//! [`LedgerWorker`] leases due jobs, calls the [`Ledger`] outside any transaction, and records the result:
//! done, retried after growing waits, or given up with the reason, as the crate [`outbox`] documents. The
//! invoice stays issued or cancelled whatever the ledger returns.
//!
//! A process that is killed between the call and the record makes the call again. A push therefore carries
//! its task's id as a key, and a [`Ledger`] makes one invoice for one key. The ledger's id is written on the
//! invoice in a transaction that locks the invoice; if the invoice was cancelled during the push, that
//! transaction queues a task that voids it in the ledger.
//!
//! Without a ledger ([`Invoicing::ledger`](crate::Invoicing::ledger) is `false`) no push is queued. The void
//! of an invoice that has a ledger's id is queued all the same, and waits until the ledger is set again. An
//! amendment after the push is not carried over to the ledger. An invoice that is amended before its push is
//! pushed as amended.

pub mod ledger_worker;
pub mod payload;
pub mod ports;
pub mod schedule;

pub use ledger_worker::LedgerWorker;
pub use outbox::{Outcome, Recorded};
pub use payload::{LedgerTask, LedgerTaskId};
pub use ports::{Ledger, LedgerError};

use kernel::StoreResult;
use time::OffsetDateTime;

use crate::invoice::Invoice;
use crate::invoicing::Invoicing;
use crate::ports::InvoicingTx;

impl Invoicing {
    /// Queues the push of an invoice that was issued in this transaction, if there is a ledger.
    pub(crate) async fn queue_push(
        &self,
        tx: &mut dyn InvoicingTx,
        invoice: &Invoice,
        now: OffsetDateTime,
    ) -> StoreResult<()> {
        if !self.ledger || invoice.is_draft() {
            return Ok(());
        }
        tx.jobs().queue(LedgerTask::push(invoice.id).into_job(invoice, &*self.ids, now)).await
    }

    /// Queues the voiding of an invoice that was cancelled in this transaction, if the ledger has it. If its
    /// push is queued or in progress, the [`LedgerWorker`] notices the cancellation.
    pub(crate) async fn queue_void(
        &self,
        tx: &mut dyn InvoicingTx,
        invoice: &Invoice,
        now: OffsetDateTime,
    ) -> StoreResult<()> {
        let Some(id) = &invoice.ledger_invoice_id else {
            return Ok(());
        };
        tx.jobs().queue(LedgerTask::void(id).into_job(invoice, &*self.ids, now)).await
    }
}
