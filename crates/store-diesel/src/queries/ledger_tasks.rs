//! What is to be done in the ledger: queued inside a transaction, leased and settled outside any.

use ::invoices::ledger::{
    LeasedTask, LedgerLease, LedgerQueue, LedgerTask, LedgerTasks, LedgerWork, Outcome, Recorded,
};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel_async::RunQueryDsl;
use kernel::{AccountId, StoreError};
use time::{Duration, OffsetDateTime};

use super::unit_of_work::UnitOfWork;
use super::{Database, dialect};
use crate::rows::LeasedTaskRow;
use crate::schema::ledger_tasks as table;
use crate::types::{Instant, RowId, RowInstant};

const WAITING: &str = "waiting";

#[async_trait]
impl LedgerQueue for UnitOfWork<AccountId> {
    async fn queue(&mut self, task: &LedgerTask) -> Result<(), StoreError> {
        let (what, ledger_invoice_id) = match &task.what {
            LedgerWork::Push => ("push", None),
            LedgerWork::Void(id) => ("void", Some(id.as_str().to_owned())),
        };
        let written = diesel::insert_into(table::table)
            .values((
                table::account_id.eq(self.account()),
                table::id.eq(RowId::from(task.id)),
                table::invoice_id.eq(RowId::from(task.invoice)),
                table::what.eq(what),
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

#[async_trait]
impl LedgerTasks for Database {
    async fn lease_due(
        &self,
        now: OffsetDateTime,
        lease_for: Duration,
        most: u32,
    ) -> Result<Vec<LeasedTask>, StoreError> {
        // A lease moves the time at which the task is due to the lease's own end: nothing else is needed to hold it.
        let query = format!(
            "WITH due AS MATERIALIZED (SELECT account_id, id FROM ledger_tasks \
             WHERE state = 'waiting' AND due_at <= $1 ORDER BY due_at LIMIT $2{}) \
             UPDATE ledger_tasks SET attempts = attempts + 1, due_at = $3 \
             WHERE (account_id, id) IN (SELECT account_id, id FROM due) \
             RETURNING account_id, id, invoice_id, what, ledger_invoice_id, queued_at, attempts",
            dialect::SKIP_LOCKED,
        );
        let query = diesel::sql_query(query)
            .bind::<Instant, _>(RowInstant(now))
            .bind::<BigInt, _>(i64::from(most))
            .bind::<Instant, _>(RowInstant(now + lease_for));
        let mut lease = self.pool.write().await?;
        let rows = query.load::<LeasedTaskRow>(lease.conn()?).await;
        let rows = lease.settle(rows)?;
        let tasks: Result<Vec<_>, _> = rows.into_iter().map(LeasedTask::try_from).collect();
        let mut tasks = tasks?;
        tasks.sort_by_key(|leased| (leased.task.queued_at, leased.task.id));
        Ok(tasks)
    }

    async fn record(&self, of: LedgerLease, outcome: &Outcome) -> Result<Recorded, StoreError> {
        let waiting = table::table
            .filter(table::account_id.eq(RowId::from(of.account)))
            .filter(table::id.eq(RowId::from(of.id)))
            .filter(table::state.eq(WAITING));
        let latest = waiting.filter(table::attempts.eq(i64::from(of.attempt)));
        let mut lease = self.pool.write().await?;
        let connection = lease.conn()?;
        let recorded = match outcome {
            Outcome::Done { at } => {
                diesel::update(waiting)
                    .set((
                        table::state.eq("done"),
                        table::finished_at.eq(Some(RowInstant(*at))),
                        table::reason.eq(None::<String>),
                    ))
                    .execute(connection)
                    .await
            }
            Outcome::Retry {
                next_attempt_at,
                reason,
                ..
            } => {
                diesel::update(latest)
                    .set((
                        table::due_at.eq(RowInstant(*next_attempt_at)),
                        table::reason.eq(Some(reason)),
                    ))
                    .execute(connection)
                    .await
            }
            Outcome::GivenUp { at, reason } => {
                diesel::update(latest)
                    .set((
                        table::state.eq("given_up"),
                        table::finished_at.eq(Some(RowInstant(*at))),
                        table::reason.eq(Some(reason)),
                    ))
                    .execute(connection)
                    .await
            }
        };
        Ok(match lease.settle(recorded)? {
            0 => Recorded::LeaseLost,
            _ => Recorded::Done,
        })
    }
}
