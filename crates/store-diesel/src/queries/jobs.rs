//! Background jobs: queued inside the transaction they belong to, leased and recorded outside.

use ::outbox::{Due, Jobs, Lease, Leased, NewJob, Outcome, Queue, Recorded};
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::sql_types::{BigInt, Text};
use diesel::{BoolExpressionMethods as _, ExpressionMethods as _, OptionalExtension as _, QueryDsl as _};
use kernel::{AccountId, PartnerId, StoreResult, error_chain};
use store_schema::errors::failed;
use store_schema::layout::Layout;
use store_schema::rows::LeasedJobRow;
use store_schema::schema::{accounts, jobs as table};
use store_schema::types::{Instant, RowId, RowInstant};
use time::OffsetDateTime;

use super::database::Database;
use super::endpoints::HasAccounts as _;
use super::faulty_accounts::{self, FailedLeases};
use super::insert_job::{InsertJob, InsertJobWith};
use super::letterheads;
use super::partitions::{AccountPartition, WorkSearch};
use super::purpose::Purpose;
use super::record_outcome::RecordOutcome;
use super::run_statements::RunStatements as _;
use super::transaction::Transaction;
use super::unit_of_work::UnitOfWork;
use crate::dialect;

/// Whether a job is held: it writes to a customer, and its account is disabled or has its communications
/// switched off.
pub(super) const IS_HELD: &str = "(to_customer AND EXISTS (SELECT 1 FROM accounts \
    WHERE accounts.id = account_id AND (disabled_by_partner OR disabled_by_operator OR NOT communications_enabled)))";

#[async_trait]
impl Jobs for UnitOfWork<AccountId> {
    async fn queue(&mut self, job: NewJob) -> StoreResult<()> {
        let account = self.account();
        queue(&mut self.tx, account, job).await
    }

    async fn queue_all(&mut self, jobs: Vec<NewJob>) -> StoreResult<()> {
        let account = self.account();
        if jobs.iter().any(|job| job.to_customer) {
            for job in jobs {
                queue(&mut self.tx, account, job).await?;
            }
            return Ok(());
        }
        let row = |job: NewJob| {
            (
                table::account_id.eq(account),
                table::id.eq(RowId::from(job.id)),
                table::kind.eq(job.kind),
                table::resource_id.eq(job.resource_id.map(RowId)),
                table::to_customer.eq(false),
                table::payload.eq(job.payload),
                table::queued_at.eq(RowInstant(job.queued_at)),
                table::due_at.eq(RowInstant(job.queued_at)),
                table::state.eq("waiting"),
                table::attempts.eq(0_i64),
            )
        };
        let rows: Vec<_> = jobs.into_iter().map(row).collect();
        let inserted = dialect::insert_rows(self.tx.conn().await?, table::table, rows).await;
        self.tx.settle(inserted)
    }
}

#[async_trait]
impl Jobs for UnitOfWork<PartnerId> {
    async fn queue(&mut self, job: NewJob) -> StoreResult<()> {
        if !self.scope.lock(&mut self.tx, job.account).await? {
            return Err(failed("the job is of another partner's account"));
        }
        queue(&mut self.tx, job.account.into(), job).await
    }
}

pub(super) async fn queue(tx: &mut Transaction, account: RowId, job: NewJob) -> StoreResult<()> {
    let letterhead = match tx.layout() {
        Layout::OneServer => None,
        Layout::ByAccount => Some(letterhead_for(tx, account, job.to_customer).await?),
    };
    let insert = InsertJob {
        account,
        id: job.id.into(),
        kind: job.kind,
        resource_id: job.resource_id.map(RowId),
        to_customer: job.to_customer,
        payload: job.payload,
        queued_at: RowInstant(job.queued_at),
    };
    if let Some(letterhead) = letterhead {
        let written = tx.execute(InsertJobWith { job: insert, letterhead }).await;
        return written.map(|_one| ());
    }
    tx.queue_job(insert);
    Ok(())
}

/// The letterhead for a job, if the job writes to a customer.
async fn letterhead_for(
    tx: &mut Transaction,
    account: RowId,
    to_customer: bool,
) -> StoreResult<Option<String>> {
    let found = letterheads::load(account, tx.conn().await?).await;
    let Some((letterhead, ..)) = tx.settle(found.optional())? else {
        return Err(failed("the job is of an account that is not there"));
    };
    Ok(to_customer.then_some(letterhead))
}

#[async_trait]
impl Queue for Database {
    async fn lease_due(&self, due: Due) -> StoreResult<Vec<Leased>> {
        let mut groups = vec![("NOT to_customer".to_owned(), due.now)];
        if let Some(age) = due.held_at_most {
            groups.push((format!("to_customer AND NOT {IS_HELD}"), due.now));
            // Finding jobs that were held too long scans every waiting job: this is done only when few wait.
            groups.push((IS_HELD.to_owned(), due.now.saturating_sub(age)));
        }
        let mut leased = Vec::new();
        for (condition, queued_by) in groups {
            let room = due.limit.saturating_sub(u32::try_from(leased.len()).unwrap_or(u32::MAX));
            if room == 0 {
                break;
            }
            match self.lease_where(&due, &condition, queued_by, room).await {
                Ok(mut group) => {
                    group.sort_by_key(|one| (one.queued_at, one.lease.id));
                    leased.extend(group);
                }
                Err(error) if leased.is_empty() => return Err(error),
                // The attempts at those that are leased count.
                Err(error) => {
                    let (job, error) = (due.kind, error_chain(&error));
                    tracing::warn!(job, error, "could not lease more jobs");
                    break;
                }
            }
        }
        Ok(leased)
    }

    async fn is_held(&self, lease: Lease) -> StoreResult<bool> {
        // The condition is that of `IS_HELD`, whose text would be prepared anew for each mail.
        let silent = accounts::table.filter(accounts::id.eq(table::account_id)).filter(
            accounts::disabled_by_partner
                .or(accounts::disabled_by_operator)
                .or(accounts::communications_enabled.eq(false)),
        );
        let held = table::table
            .find((RowId::from(lease.account), RowId::from(lease.id)))
            .filter(table::to_customer)
            .filter(exists(silent));
        self.pool.read().await?.fetch_one(diesel::select(exists(held))).await
    }

    async fn record(&self, of: Lease, outcome: &Outcome) -> StoreResult<Recorded> {
        let recorded = self.record_outcome(of, outcome).await;
        self.faulty_accounts.recorded(AccountPartition::of(&self.pool, of.account.into()), &recorded);
        recorded
    }

    fn accounts_fail_alone(&self) -> bool {
        self.pool.layout().is_distributed()
    }
}

impl Database {
    async fn record_outcome(&self, of: Lease, outcome: &Outcome) -> StoreResult<Recorded> {
        let mut tx = Transaction::new(self.pool.clone(), Purpose::Batch);
        let recorded = tx.execute(RecordOutcome::new(of, outcome)).await?;
        tx.commit().await?;
        Ok(match recorded {
            0 => Recorded::LeaseLost,
            _ => Recorded::Done,
        })
    }

    /// The partitions that have a due job of the kind that meets the condition.
    async fn with_jobs(&self, due: &Due, condition: &str) -> StoreResult<Vec<AccountPartition>> {
        // Safe to format: the kind is a constant of this program.
        let condition =
            format!("kind = '{}' AND state = 'waiting' AND due_at <= $1 AND {condition}", due.kind);
        let (now, limit) = (RowInstant(due.now), due.limit);
        let work = WorkSearch { table: "jobs", condition: &condition, order: "due_at", now, limit };
        faulty_accounts::with_work_to_lease(&self.pool, &self.faulty_accounts, &work).await
    }

    /// Leases due jobs of the kind that meet the condition and were queued by `queued_by`.
    async fn lease_where(
        &self,
        due: &Due,
        condition: &str,
        queued_by: OffsetDateTime,
        limit: u32,
    ) -> StoreResult<Vec<Leased>> {
        let mut leased = Vec::new();
        let mut failed = FailedLeases::new(&self.faulty_accounts);
        for partition in self.with_jobs(due, condition).await? {
            let room = i64::from(limit).saturating_sub(i64::try_from(leased.len()).unwrap_or(i64::MAX));
            if room <= 0 || failed.concern_all() {
                break;
            }
            let rows = self.lease_partition(due, &leasing(condition, partition), queued_by, room).await;
            leased.extend(failed.set_aside(partition, rows));
        }
        failed.unless_leased(&leased)?;
        Ok(leased)
    }

    async fn lease_partition(
        &self,
        due: &Due,
        leasing: &str,
        queued_by: OffsetDateTime,
        room: i64,
    ) -> StoreResult<Vec<Leased>> {
        let mut connection = self.pool.write().await?;
        let query = diesel::sql_query(leasing)
            .bind::<Text, _>(due.kind)
            .bind::<Instant, _>(RowInstant(due.now))
            .bind::<Instant, _>(RowInstant(queued_by))
            .bind::<BigInt, _>(room)
            .bind::<Instant, _>(RowInstant(due.now.saturating_add(due.lease_for)));
        let rows: Vec<LeasedJobRow> = connection.fetch_all(query).await?;
        rows.into_iter().map(Leased::try_from).collect()
    }
}

/// Leasing moves the job's due time to the end of the lease; nothing else marks the lease. SQLite numbers
/// parameters by their first place in the text, so they appear in order.
fn leasing(condition: &str, partition: AccountPartition) -> String {
    let skip_locked = dialect::SKIP_LOCKED;
    let in_partition = partition.condition("account_id");
    format!(
        "WITH due AS MATERIALIZED (SELECT account_id, id FROM jobs \
         WHERE kind = $1 AND state = 'waiting' AND due_at <= $2 AND queued_at <= $3 AND {condition}{in_partition} \
         ORDER BY due_at LIMIT $4{skip_locked}) \
         UPDATE jobs SET attempts = attempts + 1, due_at = $5 \
         WHERE (account_id, id) IN (SELECT account_id, id FROM due){in_partition} \
         RETURNING account_id, id, payload, letterhead, queued_at, attempts, due_at"
    )
}
