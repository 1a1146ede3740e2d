//! Inserting an invoice with its line items in one statement.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, BigInt, Integer, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use postgres_pool::LastStatement;
use store_schema::layout::Layout;
use store_schema::rows::{InvoiceRow, LineItemRow};
use store_schema::schema::invoices;
use store_schema::types::{RowId, Uid};

/// Inserts an invoice and its line items. Returns `false`, and inserts nothing, when its number is taken.
pub(super) async fn insert_invoice(
    connection: &mut AsyncPgConnection,
    layout: Layout,
    invoice: InvoiceRow,
    lines: Vec<LineItemRow>,
) -> QueryResult<bool> {
    if layout.is_distributed() {
        return insert_apart(connection, invoice, lines).await;
    }
    let statement = InsertInvoice::<_, true> {
        lines: LineColumns::of(&invoice, lines),
        invoice: diesel::insert_into(invoices::table)
            .values(invoice)
            .on_conflict((invoices::account_id, invoices::number))
            .do_nothing(),
    };
    let inserted = statement.get_result::<i64>(connection).await?;
    Ok(inserted == 1)
}

/// The statement that inserts an invoice and its line items, and fails when its number is taken.
pub(super) fn insert_generated(invoice: InvoiceRow, lines: Vec<LineItemRow>) -> impl LastStatement {
    InsertInvoice::<_, false> {
        lines: LineColumns::of(&invoice, lines),
        invoice: diesel::insert_into(invoices::table).values(invoice),
    }
}

/// The same with statements for each table.
pub(super) async fn insert_generated_apart(
    connection: &mut AsyncPgConnection,
    invoice: InvoiceRow,
    lines: Vec<LineItemRow>,
) -> QueryResult<()> {
    diesel::insert_into(invoices::table).values(invoice).execute(connection).await?;
    insert_lines(connection, lines).await
}

/// Inserts with two statements, each of which a cluster sends to the one server that has the account. One
/// statement over several tables would be a transaction over all servers.
async fn insert_apart(
    connection: &mut AsyncPgConnection,
    invoice: InvoiceRow,
    lines: Vec<LineItemRow>,
) -> QueryResult<bool> {
    let insert = diesel::insert_into(invoices::table)
        .values(invoice)
        .on_conflict((invoices::account_id, invoices::number))
        .do_nothing();
    if Prepared(insert).execute(connection).await? == 0 {
        return Ok(false);
    }
    insert_lines(connection, lines).await?;
    Ok(true)
}

async fn insert_lines(connection: &mut AsyncPgConnection, lines: Vec<LineItemRow>) -> QueryResult<()> {
    if !lines.is_empty() {
        InsertLines(lines).execute(connection).await?;
    }
    Ok(())
}

/// A statement whose text does not depend on its values, so each connection prepares it once.
struct Prepared<I>(I);

impl<I: QueryFragment<Pg>> QueryFragment<Pg> for Prepared<I> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }
}

impl<I> QueryId for Prepared<I> {
    type QueryId = Prepared<()>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

/// Line items of one invoice, as values: prepared once for each number of line items.
struct InsertLines(Vec<LineItemRow>);

impl QueryId for InsertLines {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl QueryFragment<Pg> for InsertLines {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "INSERT INTO line_items (account_id, invoice_id, position, id, description, quantity, unit_amount, \
             tax_rate, tax_type, tax_amount, line_amount) VALUES ",
        );
        for (place, line) in self.0.iter().enumerate() {
            out.push_sql(if place == 0 { "(" } else { "), (" });
            out.push_bind_param::<Uid, _>(&line.account_id)?;
            out.push_sql(", ");
            out.push_bind_param::<Uid, _>(&line.invoice_id)?;
            out.push_sql(", ");
            out.push_bind_param::<Integer, _>(&line.position)?;
            out.push_sql(", ");
            out.push_bind_param::<Uid, _>(&line.id)?;
            out.push_sql(", ");
            out.push_bind_param::<Text, _>(&line.description)?;
            for number in [&line.quantity, &line.unit_amount, &line.tax_rate] {
                out.push_sql(", ");
                out.push_bind_param::<BigInt, _>(number)?;
            }
            out.push_sql(", ");
            out.push_bind_param::<Nullable<Text>, _>(&line.tax_type)?;
            for number in [&line.tax_amount, &line.line_amount] {
                out.push_sql(", ");
                out.push_bind_param::<BigInt, _>(number)?;
            }
        }
        out.push_sql(")");
        Ok(())
    }
}

/// Inserts the line items only if the invoice was inserted. With one array for each column the text is the
/// same for any number of lines, so each connection prepares it once, with and without `UNLESS_TAKEN`.
struct InsertInvoice<I, const UNLESS_TAKEN: bool> {
    invoice: I,
    lines: LineColumns,
}

struct LineColumns {
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
    fn of(invoice: &InvoiceRow, lines: Vec<LineItemRow>) -> Self {
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

    /// Inserts the line items if `inserted` has a row.
    fn walk<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
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

impl<I: QueryFragment<Pg>, const UNLESS_TAKEN: bool> QueryFragment<Pg> for InsertInvoice<I, UNLESS_TAKEN> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("WITH inserted AS (");
        self.invoice.walk_ast(out.reborrow())?;
        out.push_sql(" RETURNING id), lines AS (");
        self.lines.walk(out.reborrow())?;
        out.push_sql(") SELECT count(*) FROM inserted");
        Ok(())
    }
}

impl<I, const UNLESS_TAKEN: bool> Query for InsertInvoice<I, UNLESS_TAKEN> {
    type SqlType = BigInt;
}

/// The text of the statement does not depend on its values.
impl<I, const UNLESS_TAKEN: bool> QueryId for InsertInvoice<I, UNLESS_TAKEN> {
    type QueryId = InsertInvoice<(), UNLESS_TAKEN>;
    const HAS_STATIC_QUERY_ID: bool = true;
}
