//! Work that transactions leave behind, each kind in a table of its own: leased and settled outside any
//! transaction.

use ::outbox::{Lease, Leased, Outcome, Queue, Recorded, Work};
use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Nullable, Text};
use diesel_async::RunQueryDsl;
use kernel::StoreError;
use time::{Duration, OffsetDateTime};

use super::database::Database;
use super::dialect;
use super::purpose::Purpose;
use super::transaction::Transaction;
use crate::types::{Instant, RowId, RowInstant, Uid};

/// The state of work that is neither done nor given up.
pub(super) const WAITING: &str = "waiting";

/// Where one kind of work is kept.
///
/// Every such table has the columns `account_id`, `id`, `queued_at`, `state`, `attempts`, `due_at`,
/// `finished_at` and `last_error`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table {
    /// Its name.
    pub(super) name: &'static str,
    /// The columns of a row, as [`Kept::Row`] reads them.
    pub(super) columns: &'static str,
    /// The state of work that is done.
    pub(super) done: &'static str,
    /// The columns that are emptied when the work is done.
    pub(super) emptied: &'static [&'static str],
    /// What of it is held.
    pub(super) held: Option<Held>,
}

/// Work that is held until a condition is over, and given up when it gets too old meanwhile.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    /// An SQL condition on a row.
    pub(super) condition: &'static str,
    /// The age at which held work is given up.
    pub(super) at_most: Duration,
    /// The reason that is kept with work that was given up so.
    pub(super) reason: &'static str,
}

/// A kind of work that has a table.
pub(super) trait Kept: Work {
    /// What a leased row says.
    type Row: QueryableByName<dialect::Db> + Send + 'static;

    /// The table.
    const TABLE: Table;

    /// Reads a leased row.
    fn leased(row: Self::Row) -> Result<Leased<Self>, StoreError>;
}

#[async_trait]
impl<W: Kept> Queue<W> for Database {
    async fn lease_due(
        &self,
        now: OffsetDateTime,
        lease_for: Duration,
        most: u32,
    ) -> Result<Vec<Leased<W>>, StoreError> {
        let query = diesel::sql_query(leasing(W::TABLE))
            .bind::<Instant, _>(RowInstant(now))
            .bind::<BigInt, _>(i64::from(most))
            .bind::<Instant, _>(RowInstant(now + lease_for));
        let mut lease = self.pool.write().await?;
        if let Some(held) = W::TABLE.held {
            let stale = diesel::sql_query(giving_up_held(W::TABLE.name, held))
                .bind::<Instant, _>(RowInstant(now))
                .bind::<Instant, _>(RowInstant(now - held.at_most))
                .execute(lease.conn()?)
                .await;
            lease.settle(stale)?;
        }
        let rows = query.load::<W::Row>(lease.conn()?).await;
        let rows = lease.settle(rows)?;
        let leased: Result<Vec<_>, _> = rows.into_iter().map(W::leased).collect();
        let mut leased = leased?;
        leased.sort_by_key(|one| (one.work.queued_at(), one.work.id()));
        Ok(leased)
    }

    async fn record(&self, of: Lease<W::Entity>, outcome: &Outcome) -> Result<Recorded, StoreError> {
        let change = Change::of(outcome, W::TABLE);
        let latest = (!change.is_fact).then(|| i64::from(of.attempt));
        let query = diesel::sql_query(recording(W::TABLE, &change))
            .bind::<Text, _>(change.state)
            .bind::<Nullable<Instant>, _>(change.due_at)
            .bind::<Nullable<Instant>, _>(change.finished_at)
            .bind::<Nullable<Text>, _>(change.reason)
            .bind::<Uid, _>(RowId::from(of.account))
            .bind::<Uid, _>(RowId::from(of.id))
            .bind::<Nullable<BigInt>, _>(latest);
        let mut tx = Transaction::new(self.pool.clone(), Purpose::Batch);
        let recorded = query.execute(tx.conn().await?).await;
        let recorded = tx.settle(recorded)?;
        tx.commit().await?;
        Ok(match recorded {
            0 => Recorded::LeaseLost,
            _ => Recorded::Done,
        })
    }
}

/// A lease moves the time at which the work is due to the lease's own end: nothing else is needed to hold it.
fn leasing(table: Table) -> String {
    let Table { name, columns, .. } = table;
    let skip_locked = dialect::SKIP_LOCKED;
    let not_held = table.held.map_or_else(String::new, |held| format!(" AND NOT ({})", held.condition));
    format!(
        "WITH due AS MATERIALIZED (SELECT account_id, id FROM {name} \
         WHERE state = '{WAITING}' AND due_at <= $1{not_held} ORDER BY due_at LIMIT $2{skip_locked}) \
         UPDATE {name} SET attempts = attempts + 1, due_at = $3 \
         WHERE (account_id, id) IN (SELECT account_id, id FROM due) \
         RETURNING {columns}"
    )
}

/// Held work that has become too old will not be wanted any more when its account is switched on again.
fn giving_up_held(name: &str, held: Held) -> String {
    let Held { condition, reason, .. } = held;
    format!(
        "UPDATE {name} SET state = 'given_up', finished_at = $1, last_error = '{reason}' \
         WHERE state = '{WAITING}' AND due_at <= $1 AND queued_at <= $2 AND {condition}"
    )
}

/// What an outcome changes in a row.
struct Change<'a> {
    state: &'static str,
    /// `None` leaves the time as it is.
    due_at: Option<RowInstant>,
    finished_at: Option<RowInstant>,
    reason: Option<&'a str>,
    /// Whether it is a fact, which is taken from every lease, not only from the latest.
    is_fact: bool,
}

impl<'a> Change<'a> {
    fn of(outcome: &'a Outcome, table: Table) -> Self {
        let waits = Self { state: WAITING, due_at: None, finished_at: None, reason: None, is_fact: false };
        match outcome {
            Outcome::Done { at } => {
                Self { state: table.done, finished_at: Some(RowInstant(*at)), is_fact: true, ..waits }
            }
            Outcome::Retry { next_attempt_at, reason, .. } => {
                Self { due_at: Some(RowInstant(*next_attempt_at)), reason: Some(reason), ..waits }
            }
            Outcome::GivenUp { at, reason } => {
                Self { state: "given_up", finished_at: Some(RowInstant(*at)), reason: Some(reason), ..waits }
            }
        }
    }
}

fn recording(table: Table, change: &Change<'_>) -> String {
    let name = table.name;
    let emptied: String = match change.is_fact {
        true => table.emptied.iter().map(|column| format!(", {column} = NULL")).collect(),
        false => String::new(),
    };
    format!(
        "UPDATE {name} SET state = $1, due_at = coalesce($2, due_at), finished_at = $3, last_error = $4{emptied} \
         WHERE account_id = $5 AND id = $6 AND state = '{WAITING}' AND attempts = coalesce($7, attempts)"
    )
}
