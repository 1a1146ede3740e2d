//! An invoice with its lines in one statement.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, BigInt, Integer, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::rows::{InvoiceRow, LineItemRow};
use crate::schema::invoices;
use crate::types::{RowId, Uid};

/// Inserts an invoice and its lines. `false`, and nothing changed, when its number is taken.
pub(super) async fn insert_invoice(
    connection: &mut AsyncPgConnection,
    invoice: InvoiceRow,
    lines: Vec<LineItemRow>,
) -> QueryResult<bool> {
    let statement = InsertInvoice {
        lines: LineColumns::of(&invoice, lines),
        invoice: diesel::insert_into(invoices::table)
            .values(invoice)
            .on_conflict((invoices::account_id, invoices::number))
            .do_nothing(),
    };
    let inserted = statement.get_result::<i64>(connection).await?;
    Ok(inserted == 1)
}

/// The lines go in only when the invoice did. One array for each column makes it one statement whatever their number, which is
/// prepared once; the reference from line to invoice is checked when the whole statement is done.
struct InsertInvoice<I> {
    invoice: I,
    lines: LineColumns,
}

pub(super) struct LineColumns {
    account: RowId,
    invoice: RowId,
    position: Vec<i32>,
    id: Vec<RowId>,
    description: Vec<String>,
    quantity: Vec<i64>,
    unit_amount: Vec<i64>,
    tax_rate: Vec<i64>,
    tax_type: Vec<Option<String>>,
    tax_amount: Vec<i64>,
    line_amount: Vec<i64>,
}

impl LineColumns {
    pub(super) fn of(invoice: &InvoiceRow, lines: Vec<LineItemRow>) -> Self {
        let mut columns = Self {
            account: invoice.account_id,
            invoice: invoice.id,
            position: Vec::with_capacity(lines.len()),
            id: Vec::with_capacity(lines.len()),
            description: Vec::with_capacity(lines.len()),
            quantity: Vec::with_capacity(lines.len()),
            unit_amount: Vec::with_capacity(lines.len()),
            tax_rate: Vec::with_capacity(lines.len()),
            tax_type: Vec::with_capacity(lines.len()),
            tax_amount: Vec::with_capacity(lines.len()),
            line_amount: Vec::with_capacity(lines.len()),
        };
        for line in lines {
            columns.position.push(line.position);
            columns.id.push(line.id);
            columns.description.push(line.description);
            columns.quantity.push(line.quantity);
            columns.unit_amount.push(line.unit_amount);
            columns.tax_rate.push(line.tax_rate);
            columns.tax_type.push(line.tax_type);
            columns.tax_amount.push(line.tax_amount);
            columns.line_amount.push(line.line_amount);
        }
        columns
    }

    /// The lines of the invoice that `inserted` has, if it has one.
    pub(super) fn walk<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "INSERT INTO line_items (account_id, invoice_id, position, id, description, quantity, unit_amount, \
             tax_rate, tax_type, tax_amount, line_amount) SELECT ",
        );
        out.push_bind_param::<Uid, _>(&self.account)?;
        out.push_sql(", ");
        out.push_bind_param::<Uid, _>(&self.invoice)?;
        out.push_sql(", line.* FROM inserted, UNNEST(");
        out.push_bind_param::<Array<Integer>, _>(&self.position)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Uid>, _>(&self.id)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Text>, _>(&self.description)?;
        for column in [&self.quantity, &self.unit_amount, &self.tax_rate] {
            out.push_sql(", ");
            out.push_bind_param::<Array<BigInt>, _>(column)?;
        }
        out.push_sql(", ");
        out.push_bind_param::<Array<Nullable<Text>>, _>(&self.tax_type)?;
        for column in [&self.tax_amount, &self.line_amount] {
            out.push_sql(", ");
            out.push_bind_param::<Array<BigInt>, _>(column)?;
        }
        out.push_sql(") AS line");
        Ok(())
    }
}

impl<I: QueryFragment<Pg>> QueryFragment<Pg> for InsertInvoice<I> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("WITH inserted AS (");
        self.invoice.walk_ast(out.reborrow())?;
        out.push_sql(" RETURNING id), lines AS (");
        self.lines.walk(out.reborrow())?;
        out.push_sql(") SELECT count(*) FROM inserted");
        Ok(())
    }
}

impl<I> Query for InsertInvoice<I> {
    type SqlType = BigInt;
}

/// There is one such statement, whatever values it carries.
impl<I> QueryId for InsertInvoice<I> {
    type QueryId = InsertInvoice<()>;
    const HAS_STATIC_QUERY_ID: bool = true;
}
