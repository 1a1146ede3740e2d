//! Inserting an invoice with its line items, optionally under the next number of the account's sequence.

use ::invoices::InvoiceNumber;
use diesel::prelude::*;
use sqlite_writer::Connection;
use store_schema::layout::Layout;
use store_schema::rows::{InvoiceRow, LineItemRow};
use store_schema::schema::{invoices, line_items};

use super::queries::sequence::Advance;

impl diesel::RunQueryDsl<SqliteConnection> for Advance<true> {}

/// Takes the next number of the account's sequence, and inserts the invoice under it. Returns the number
/// after it, and the invoice's number: `None` when the number is taken, in which case nothing is inserted.
pub(super) async fn insert_next(
    connection: &mut Connection,
    _layout: Layout,
    mut invoice: InvoiceRow,
    lines: Vec<LineItemRow>,
    prefix: &str,
) -> QueryResult<(i64, Option<String>)> {
    let prefix = prefix.to_owned();
    let work = move |connection: &mut SqliteConnection| {
        let taking = Advance::<true>(invoice.columns.account_id);
        let next: i64 = diesel::RunQueryDsl::get_result(taking, connection)?;
        let taken = u64::try_from(next.saturating_sub(1)).unwrap_or_default();
        invoice.number = InvoiceNumber::generated(&prefix, taken).as_str().to_owned();
        let inserted = insert(connection, &invoice, &lines)?;
        Ok((next, inserted.then_some(invoice.number)))
    };
    connection.spawn_blocking(work).await
}

/// Inserts an invoice and its line items. Returns `false`, and inserts nothing, when its number is taken.
pub(super) async fn insert_invoice(
    connection: &mut Connection,
    _layout: Layout,
    invoice: InvoiceRow,
    lines: Vec<LineItemRow>,
) -> QueryResult<bool> {
    let work = move |connection: &mut SqliteConnection| insert(connection, &invoice, &lines);
    connection.spawn_blocking(work).await
}

fn insert(
    connection: &mut SqliteConnection,
    invoice: &InvoiceRow,
    lines: &[LineItemRow],
) -> QueryResult<bool> {
    let inserted = diesel::insert_into(invoices::table)
        .values(invoice)
        .on_conflict((invoices::account_id, invoices::number))
        .do_nothing();
    if diesel::RunQueryDsl::execute(inserted, connection)? == 0 {
        return Ok(false);
    }
    for line in lines {
        let line = diesel::insert_into(line_items::table).values(line);
        diesel::RunQueryDsl::execute(line, connection)?;
    }
    Ok(true)
}
