//! What is to be done in the ledger: queued inside a transaction.

use ::invoices::ledger::{LeasedTask, LedgerQueue, LedgerTask, LedgerWork};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use kernel::{AccountId, StoreError};

use super::outbox::{Kept, Table, WAITING};
use super::unit_of_work::UnitOfWork;
use crate::rows::LeasedTaskRow;
use crate::schema::ledger_tasks as table;
use crate::types::{RowId, RowInstant};

#[async_trait]
impl LedgerQueue for UnitOfWork<AccountId> {
    async fn queue(&mut self, task: &LedgerTask) -> Result<(), StoreError> {
        let (operation, ledger_invoice_id) = match &task.what {
            LedgerWork::Push => ("push", None),
            LedgerWork::Void(id) => ("void", Some(id.as_str().to_owned())),
        };
        let written = diesel::insert_into(table::table)
            .values((
                table::account_id.eq(self.account()),
                table::id.eq(RowId::from(task.id)),
                table::invoice_id.eq(RowId::from(task.invoice)),
                table::operation.eq(operation),
                table::ledger_invoice_id.eq(ledger_invoice_id),
                table::queued_at.eq(RowInstant(task.queued_at)),
                table::state.eq(WAITING),
                table::attempts.eq(0_i64),
                table::due_at.eq(RowInstant(task.queued_at)),
            ))
            .execute(self.tx.conn().await?)
            .await;
        self.tx.settle(written).map(|_one| ())
    }
}

impl Kept for LedgerTask {
    type Row = LeasedTaskRow;

    const TABLE: Table = Table {
        name: "ledger_tasks",
        columns: "account_id, id, invoice_id, operation, ledger_invoice_id, queued_at, attempts",
        done: "done",
        emptied: &[],
        held: None,
    };

    fn leased(row: LeasedTaskRow) -> Result<LeasedTask, StoreError> {
        row.try_into()
    }
}
