//! Inserting an invoice with its line items in one statement, optionally under the next number of the
//! account's sequence.

use ::invoices::InvoiceNumber;
use diesel::expression::{ValidGrouping, is_aggregate};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, BigInt, Integer, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use store_schema::layout::Layout;
use store_schema::rows::{InvoiceRow, LineItemRow};
use store_schema::schema::invoices;
use store_schema::types::{RowId, Uid};

use super::queries::sequence::Advance;

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

/// Takes the next number of the account's sequence, and inserts the invoice and its line items under it.
/// Returns the number after it, and the invoice's number: `None` when the number is taken, in which case
/// nothing is inserted.
pub(super) async fn insert_next(
    connection: &mut AsyncPgConnection,
    layout: Layout,
    mut invoice: InvoiceRow,
    lines: Vec<LineItemRow>,
    prefix: &str,
) -> QueryResult<(i64, Option<String>)> {
    if layout.is_distributed() {
        let taken = Advance::<true>(invoice.columns.account_id);
        let next: i64 = taken.get_result(connection).await?;
        let number = u64::try_from(next.saturating_sub(1)).unwrap_or(0);
        let number = InvoiceNumber::generated(prefix, number).as_str().to_owned();
        invoice.number.clone_from(&number);
        let inserted = insert_apart(connection, invoice, lines).await?;
        return Ok((next, inserted.then_some(number)));
    }
    let number = NumberTaken { prefix: prefix.to_owned() };
    let statement = InsertNext {
        account: invoice.columns.account_id,
        lines: LineColumns::of(&invoice, lines),
        invoice: diesel::insert_into(invoices::table)
            .values((invoices::number.eq(number), invoice.columns))
            .on_conflict((invoices::account_id, invoices::number))
            .do_nothing(),
    };
    statement.get_result(connection).await
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
    if !lines.is_empty() {
        InsertLines(lines).execute(connection).await?;
    }
    Ok(true)
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
/// same for any number of lines, so each connection prepares it once.
struct InsertInvoice<I> {
    invoice: I,
    lines: LineColumns,
}

struct InsertNext<I> {
    account: RowId,
    invoice: I,
    lines: LineColumns,
}

/// The number that `taken` took from the sequence, formatted like
/// [`InvoiceNumber::generated`](invoices::InvoiceNumber::generated); the caller compares the two.
#[derive(QueryId)]
struct NumberTaken {
    prefix: String,
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
            account: invoice.columns.account_id,
            invoice: invoice.columns.id,
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

/// The text of the statement does not depend on its values.
impl<I> QueryId for InsertInvoice<I> {
    type QueryId = InsertInvoice<()>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<I: QueryFragment<Pg>> QueryFragment<Pg> for InsertNext<I> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("WITH taken AS (INSERT INTO invoice_sequences (account_id, next) VALUES (");
        out.push_bind_param::<Uid, _>(&self.account)?;
        out.push_sql(
            ", 2) ON CONFLICT (account_id) DO UPDATE SET next = invoice_sequences.next + 1 RETURNING next), \
             inserted AS (",
        );
        self.invoice.walk_ast(out.reborrow())?;
        out.push_sql(" RETURNING number), lines AS (");
        self.lines.walk(out.reborrow())?;
        out.push_sql(") SELECT taken.next, inserted.number FROM taken LEFT JOIN inserted ON TRUE");
        Ok(())
    }
}

impl<I> Query for InsertNext<I> {
    type SqlType = (BigInt, Nullable<Text>);
}

/// The text of the statement does not depend on its values.
impl<I> QueryId for InsertNext<I> {
    type QueryId = InsertNext<()>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Expression for NumberTaken {
    type SqlType = Text;
}

impl QueryFragment<Pg> for NumberTaken {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("(SELECT ");
        out.push_bind_param::<Text, _>(&self.prefix)?;
        out.push_sql(" || lpad((next - 1)::text, greatest(4, length((next - 1)::text)), '0') FROM taken)");
        Ok(())
    }
}

impl<QS> SelectableExpression<QS> for NumberTaken {}
impl<QS> AppearsOnTable<QS> for NumberTaken {}
impl ValidGrouping<()> for NumberTaken {
    type IsAggregate = is_aggregate::Never;
}
