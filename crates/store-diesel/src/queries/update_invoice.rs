//! Writing an invoice back.

use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::Text;
use store_schema::rows::InvoiceRow;
use store_schema::types::{Instant, RowId, RowInstant, Uid};

use crate::dialect::Db;

/// Sets every column of an invoice, unless another invoice of the account has its number.
///
/// If another invoice takes the number concurrently, the unique index fails the statement; the repeated
/// transaction then sees that invoice.
///
/// Written by hand: diesel prepares its own updates for each execution, which costs a round trip, because it
/// assumes that the columns differ each time. This statement always sets the same columns.
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
            account: row.account_id,
            id: row.id,
            number: &row.number,
            status: &row.status,
            updated_at: row.updated_at,
            set: row.as_changeset(),
        }
    }
}

impl QueryFragment<Db> for UpdateInvoice<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("UPDATE invoices SET ");
        self.set.walk_ast(out.reborrow())?;
        // The status before the update decides. `issued_at` is set by the update that issues a draft; for an
        // invoice that was created as issued, by the one that cancels it: so a cancelled draft has none.
        out.push_sql(", issued_at = CASE WHEN status = 'DRAFT' AND ");
        out.push_bind_param::<Text, _>(self.status)?;
        out.push_sql(" NOT IN ('DRAFT', 'CANCELLED') THEN ");
        out.push_bind_param::<Instant, _>(&self.updated_at)?;
        out.push_sql(" WHEN status NOT IN ('DRAFT', 'CANCELLED') AND ");
        out.push_bind_param::<Text, _>(self.status)?;
        out.push_sql(
            " = 'CANCELLED' THEN coalesce(issued_at, created_at) ELSE issued_at END, \
             cancelled_at = CASE WHEN status <> 'CANCELLED' AND ",
        );
        out.push_bind_param::<Text, _>(self.status)?;
        out.push_sql(" = 'CANCELLED' THEN ");
        out.push_bind_param::<Instant, _>(&self.updated_at)?;
        out.push_sql(" ELSE cancelled_at END WHERE account_id = ");
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

/// One constant statement, whatever its values.
impl QueryId for UpdateInvoice<'_> {
    type QueryId = UpdateInvoice<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}
