//! The next number and the invoice that bears it, in one statement.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, HasSqlType, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::insert_invoice::LineColumns;
use crate::rows::{InvoiceRow, LineItemRow};
use crate::types::{Day, Instant, Uid};

/// Takes the next number of the account's sequence, and inserts the invoice under it. Which number is next then, and the one that the
/// invoice has: none, and nothing inserted, when its number is taken.
pub(super) async fn insert_next(
    connection: &mut AsyncPgConnection,
    invoice: InvoiceRow,
    lines: Vec<LineItemRow>,
    prefix: &str,
) -> QueryResult<(i64, Option<String>)> {
    let statement = InsertNext {
        prefix: prefix.to_owned(),
        lines: LineColumns::of(&invoice, lines),
        invoice,
    };
    statement.get_result(connection).await
}

/// Written out, column by column, since the number is the one value that is not known yet. It is written as
/// [`InvoiceNumber::generated`](invoices::InvoiceNumber::generated) writes it, which the caller checks.
struct InsertNext {
    prefix: String,
    invoice: InvoiceRow,
    lines: LineColumns,
}

impl InsertNext {
    fn walk_invoice<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "INSERT INTO invoices (account_id, number, id, status, contact_id, contact, invoice_date, due_date, currency, line_amount_types, sub_total, tax_total, total, amount_paid, reference, notes, staff, last_sent_at, send_count, pay_token, ledger_invoice_id, created_at, updated_at, status_changes_on\
             ) SELECT ",
        );
        let row = &self.invoice;
        out.push_bind_param::<Uid, _>(&row.account_id)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(&self.prefix)?;
        out.push_sql(" || lpad((next - 1)::text, greatest(4, length((next - 1)::text)), '0')");
        and::<Uid, _>(&mut out, &row.id)?;
        and::<Text, _>(&mut out, &row.status)?;
        and::<Nullable<Uid>, _>(&mut out, &row.contact_id)?;
        and::<Nullable<Text>, _>(&mut out, &row.contact)?;
        and::<Day, _>(&mut out, &row.invoice_date)?;
        and::<Day, _>(&mut out, &row.due_date)?;
        and::<Text, _>(&mut out, &row.currency)?;
        and::<Text, _>(&mut out, &row.line_amount_types)?;
        and::<BigInt, _>(&mut out, &row.sub_total)?;
        and::<BigInt, _>(&mut out, &row.tax_total)?;
        and::<BigInt, _>(&mut out, &row.total)?;
        and::<BigInt, _>(&mut out, &row.amount_paid)?;
        and::<Nullable<Text>, _>(&mut out, &row.reference)?;
        and::<Nullable<Text>, _>(&mut out, &row.notes)?;
        and::<Nullable<Text>, _>(&mut out, &row.staff)?;
        and::<Nullable<Instant>, _>(&mut out, &row.last_sent_at)?;
        and::<BigInt, _>(&mut out, &row.send_count)?;
        and::<Text, _>(&mut out, &row.pay_token)?;
        and::<Nullable<Text>, _>(&mut out, &row.ledger_invoice_id)?;
        and::<Instant, _>(&mut out, &row.created_at)?;
        and::<Instant, _>(&mut out, &row.updated_at)?;
        and::<Nullable<Day>, _>(&mut out, &row.status_changes_on)?;
        out.push_sql(" FROM taken ON CONFLICT (account_id, number) DO NOTHING RETURNING number");
        Ok(())
    }
}

/// One more value.
fn and<'b, T, V>(out: &mut AstPass<'_, 'b, Pg>, value: &'b V) -> QueryResult<()>
where
    Pg: HasSqlType<T>,
    V: ToSql<T, Pg>,
{
    out.push_sql(", ");
    out.push_bind_param::<T, V>(value)
}

impl QueryFragment<Pg> for InsertNext {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("WITH taken AS (INSERT INTO invoice_sequences (account_id, next) VALUES (");
        out.push_bind_param::<Uid, _>(&self.invoice.account_id)?;
        out.push_sql(
            ", 2) ON CONFLICT (account_id) DO UPDATE SET next = invoice_sequences.next + 1 RETURNING next), inserted AS (",
        );
        self.walk_invoice(out.reborrow())?;
        out.push_sql("), lines AS (");
        self.lines.walk(out.reborrow())?;
        out.push_sql(") SELECT taken.next, inserted.number FROM taken LEFT JOIN inserted ON TRUE");
        Ok(())
    }
}

impl Query for InsertNext {
    type SqlType = (BigInt, Nullable<Text>);
}

/// There is one such statement, whatever values it carries.
impl QueryId for InsertNext {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}
