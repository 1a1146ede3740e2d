//! Writing back an invoice that was paid.

use ::invoices::Invoice;
use diesel::QueryResult;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Nullable, Text};
use store_schema::rows::InvoiceRow;
use store_schema::types::{Day, Instant, RowDay, RowId, RowInstant, Uid};

use crate::dialect::Db;

/// Sets the columns of a locked invoice that a payment changes. Written by hand, since diesel prepares its
/// own updates for each execution.
#[derive(QueryId)]
pub(crate) struct UpdatePaid {
    account: RowId,
    id: RowId,
    status: String,
    amount_paid: i64,
    updated_at: RowInstant,
    status_changes_on: Option<RowDay>,
}

impl From<&Invoice> for UpdatePaid {
    fn from(invoice: &Invoice) -> Self {
        let row = InvoiceRow::from(invoice);
        Self {
            account: row.account_id,
            id: row.id,
            status: row.status,
            amount_paid: row.amount_paid,
            updated_at: row.updated_at,
            status_changes_on: row.status_changes_on,
        }
    }
}

impl QueryFragment<Db> for UpdatePaid {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("UPDATE invoices SET status = ");
        out.push_bind_param::<Text, _>(&self.status)?;
        out.push_sql(", amount_paid = ");
        out.push_bind_param::<BigInt, _>(&self.amount_paid)?;
        out.push_sql(", updated_at = ");
        out.push_bind_param::<Instant, _>(&self.updated_at)?;
        out.push_sql(", status_changes_on = ");
        out.push_bind_param::<Nullable<Day>, _>(&self.status_changes_on)?;
        out.push_sql(" WHERE account_id = ");
        out.push_bind_param::<Uid, _>(&self.account)?;
        out.push_sql(" AND id = ");
        out.push_bind_param::<Uid, _>(&self.id)?;
        Ok(())
    }
}
