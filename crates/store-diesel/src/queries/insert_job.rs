//! The statement that inserts a job.

use std::sync::OnceLock;

use diesel::QueryResult;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{Bool, Nullable, Text};
use store_schema::types::{Instant, RowId, RowInstant, Uid};

use super::letterheads;
use crate::dialect::Db;

/// Inserts a job; a job that writes to a customer gets the account's letterhead as it is now. The SQL text is
/// constant, so each connection prepares it once.
#[derive(Debug, QueryId)]
pub(crate) struct InsertJob {
    pub(super) account: RowId,
    pub(super) id: RowId,
    pub(super) kind: &'static str,
    pub(super) resource_id: Option<RowId>,
    pub(super) to_customer: bool,
    pub(super) payload: String,
    pub(super) queued_at: RowInstant,
}

impl InsertJob {
    const COLUMNS: &str = "INSERT INTO jobs (account_id, id, kind, resource_id, payload, queued_at, due_at, to_customer, \
        state, attempts, letterhead) ";

    /// The values without the letterhead.
    fn push_values<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_bind_param::<Uid, _>(&self.account)?;
        out.push_sql(", ");
        out.push_bind_param::<Uid, _>(&self.id)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(self.kind)?;
        out.push_sql(", ");
        out.push_bind_param::<Nullable<Uid>, _>(&self.resource_id)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(&self.payload)?;
        out.push_sql(", ");
        out.push_bind_param::<Instant, _>(&self.queued_at)?;
        out.push_sql(", ");
        out.push_bind_param::<Instant, _>(&self.queued_at)?;
        out.push_sql(", ");
        out.push_bind_param::<Bool, _>(&self.to_customer)?;
        out.push_sql(", 'waiting', 0, ");
        Ok(())
    }
}

impl QueryFragment<Db> for InsertJob {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        static LETTERHEAD: OnceLock<String> = OnceLock::new();
        out.push_sql(Self::COLUMNS);
        out.push_sql("VALUES (");
        self.push_values(out.reborrow())?;
        out.push_sql("CASE WHEN ");
        out.push_bind_param::<Bool, _>(&self.to_customer)?;
        out.push_sql(" THEN (SELECT ");
        out.push_sql(LETTERHEAD.get_or_init(letterheads::json));
        out.push_sql(" FROM ");
        out.push_sql(letterheads::FROM);
        out.push_bind_param::<Uid, _>(&self.account)?;
        out.push_sql(") END)");
        Ok(())
    }
}

/// Inserts a job with a letterhead that was read before. On a cluster, every server has the accounts, and an
/// `INSERT … SELECT` from them would be planned for every shard of the jobs.
#[derive(Debug, QueryId)]
pub(super) struct InsertJobWith {
    pub(super) job: InsertJob,
    pub(super) letterhead: Option<String>,
}

impl QueryFragment<Db> for InsertJobWith {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(InsertJob::COLUMNS);
        out.push_sql("VALUES (");
        self.job.push_values(out.reborrow())?;
        out.push_bind_param::<Nullable<Text>, _>(&self.letterhead)?;
        out.push_sql(")");
        Ok(())
    }
}
