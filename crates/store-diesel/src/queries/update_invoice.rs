//! Writing an invoice back.

use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::Text;
use store_schema::rows::InvoiceRow;
use store_schema::types::{Instant, RowId, RowInstant, Uid};

use crate::dialect::Db;

/// Sets every column of an invoice, unless another one of the account has its number.
///
/// Should another invoice take the number at this very moment, the unique index fails the statement, and the
/// whole transaction is done again and then sees it.
///
/// Written out, since diesel prepares its own updates anew each time, which is one more round trip. It takes
/// it that they may set other columns the next time; this one always sets the same.
pub(super) struct UpdateInvoice<'a> {
    account: RowId,
    id: RowId,
    number: &'a str,
    status: &'a str,
    updated_at: RowInstant,
    set: <&'a InvoiceRow as AsChangeset>::Changeset,
}

impl<'a> UpdateInvoice<'a> {
    pub(super) fn new(row: &'a InvoiceRow) -> Self {
        Self {
            account: row.columns.account_id,
            id: row.columns.id,
            number: &row.number,
            status: &row.columns.status,
            updated_at: row.columns.updated_at,
            set: row.as_changeset(),
        }
    }
}

impl QueryFragment<Db> for UpdateInvoice<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("UPDATE invoices SET ");
        self.set.walk_ast(out.reborrow())?;
        // What was there before decides: a draft that is issued now.
        out.push_sql(", issued_at = CASE WHEN status = 'DRAFT' AND ");
        out.push_bind_param::<Text, _>(self.status)?;
        out.push_sql(" <> 'DRAFT' THEN ");
        out.push_bind_param::<Instant, _>(&self.updated_at)?;
        out.push_sql(" ELSE issued_at END WHERE account_id = ");
        out.push_bind_param::<Uid, _>(&self.account)?;
        out.push_sql(" AND id = ");
        out.push_bind_param::<Uid, _>(&self.id)?;
        out.push_sql(" AND NOT EXISTS (SELECT 1 FROM invoices AS other WHERE other.account_id = ");
        out.push_bind_param::<Uid, _>(&self.account)?;
        out.push_sql(" AND other.number = ");
        out.push_bind_param::<Text, _>(self.number)?;
        out.push_sql(" AND other.id <> ");
        out.push_bind_param::<Uid, _>(&self.id)?;
        out.push_sql(")");
        Ok(())
    }
}

/// There is one such statement, whatever values it carries.
impl QueryId for UpdateInvoice<'_> {
    type QueryId = UpdateInvoice<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}
