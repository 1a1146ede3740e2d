//! Recording the outcome of a job's attempt.

use ::outbox::{Lease, Outcome};
use diesel::QueryResult;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Nullable, Text};
use store_schema::types::{Instant, RowId, RowInstant, Uid};

use crate::dialect::Db;

/// Applies an outcome to a job that still waits. A job that is done loses its payload; one that was given up
/// keeps it for the operator.
///
/// Written by hand, so that each connection prepares it once: it runs for every job.
pub(super) struct RecordOutcome<'a> {
    account: RowId,
    id: RowId,
    state: &'static str,
    /// `None` leaves the time unchanged.
    due_at: Option<RowInstant>,
    finished_at: Option<RowInstant>,
    reason: Option<&'a str>,
    /// The attempt that must be the latest one, and the end of its lease; `None` for a fact, which is
    /// accepted from any lease. A number alone would not do: after an attempt that was taken back it is used
    /// again.
    latest: Option<i64>,
    leased_until: Option<RowInstant>,
    /// How many attempts do not count.
    taken_back: i64,
}

impl<'a> RecordOutcome<'a> {
    pub(super) fn new(of: Lease, outcome: &'a Outcome) -> Self {
        let waits = Self {
            account: of.account.into(),
            id: of.id.into(),
            state: "waiting",
            due_at: None,
            finished_at: None,
            reason: None,
            latest: Some(of.attempt.into()),
            leased_until: Some(RowInstant(of.ends_at)),
            taken_back: 0,
        };
        match outcome {
            Outcome::Done { at } => {
                let finished_at = Some(RowInstant(*at));
                Self { state: "done", finished_at, latest: None, leased_until: None, ..waits }
            }
            Outcome::Retry { next_attempt_at, reason, .. } => {
                Self { due_at: Some(RowInstant(*next_attempt_at)), reason: Some(reason), ..waits }
            }
            Outcome::Postponed { next_attempt_at, reason } => Self {
                due_at: Some(RowInstant(*next_attempt_at)),
                reason: Some(reason),
                taken_back: 1,
                ..waits
            },
            Outcome::GivenUp { at, reason } => {
                Self { state: "given_up", finished_at: Some(RowInstant(*at)), reason: Some(reason), ..waits }
            }
        }
    }
}

impl QueryFragment<Db> for RecordOutcome<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("UPDATE jobs SET state = ");
        out.push_bind_param::<Text, _>(self.state)?;
        out.push_sql(", due_at = coalesce(");
        out.push_bind_param::<Nullable<Instant>, _>(&self.due_at)?;
        out.push_sql(", due_at), attempts = attempts - ");
        out.push_bind_param::<BigInt, _>(&self.taken_back)?;
        out.push_sql(", finished_at = ");
        out.push_bind_param::<Nullable<Instant>, _>(&self.finished_at)?;
        out.push_sql(", last_error = ");
        out.push_bind_param::<Nullable<Text>, _>(&self.reason)?;
        for column in ["payload", "letterhead"] {
            out.push_sql(", ");
            out.push_sql(column);
            out.push_sql(" = CASE WHEN ");
            out.push_bind_param::<Text, _>(self.state)?;
            out.push_sql(" = 'done' THEN NULL ELSE ");
            out.push_sql(column);
            out.push_sql(" END");
        }
        out.push_sql(" WHERE account_id = ");
        out.push_bind_param::<Uid, _>(&self.account)?;
        out.push_sql(" AND id = ");
        out.push_bind_param::<Uid, _>(&self.id)?;
        out.push_sql(" AND state = 'waiting' AND attempts = coalesce(");
        out.push_bind_param::<Nullable<BigInt>, _>(&self.latest)?;
        out.push_sql(", attempts) AND due_at = coalesce(");
        out.push_bind_param::<Nullable<Instant>, _>(&self.leased_until)?;
        out.push_sql(", due_at)");
        Ok(())
    }
}

/// One constant statement, whatever its values.
impl QueryId for RecordOutcome<'_> {
    type QueryId = RecordOutcome<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}
