//! Writing a message back.

use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use store_schema::rows::MessageRow;
use store_schema::types::{RowId, Uid};

use crate::dialect::Db;

/// Sets every column of a message. Written by hand, since diesel prepares its own updates for each execution.
pub(super) struct UpdateMessage<'a> {
    account: RowId,
    id: RowId,
    set: <&'a MessageRow as AsChangeset>::Changeset,
}

impl<'a> UpdateMessage<'a> {
    pub(super) fn new(row: &'a MessageRow) -> Self {
        Self { account: row.account_id, id: row.id, set: row.as_changeset() }
    }
}

impl QueryFragment<Db> for UpdateMessage<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("UPDATE messages SET ");
        self.set.walk_ast(out.reborrow())?;
        out.push_sql(" WHERE account_id = ");
        out.push_bind_param::<Uid, _>(&self.account)?;
        out.push_sql(" AND id = ");
        out.push_bind_param::<Uid, _>(&self.id)?;
        Ok(())
    }
}

/// One constant statement, whatever its values.
impl QueryId for UpdateMessage<'_> {
    type QueryId = UpdateMessage<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}
