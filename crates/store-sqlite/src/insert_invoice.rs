//! Inserting an invoice with its line items.

use diesel::prelude::*;
use sqlite_writer::Connection;
use store_schema::layout::Layout;
use store_schema::rows::{InvoiceRow, LineItemRow};
use store_schema::schema::{invoices, line_items};

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
    insert_lines(connection, lines)?;
    Ok(true)
}

/// Inserts an invoice and its line items. Fails with a unique violation when its number is taken.
pub(super) fn insert_generated(
    connection: &mut SqliteConnection,
    invoice: &InvoiceRow,
    lines: &[LineItemRow],
) -> QueryResult<()> {
    let insert = diesel::insert_into(invoices::table).values(invoice);
    diesel::RunQueryDsl::execute(insert, connection)?;
    insert_lines(connection, lines)
}

fn insert_lines(connection: &mut SqliteConnection, lines: &[LineItemRow]) -> QueryResult<()> {
    for line in lines {
        let line = diesel::insert_into(line_items::table).values(line);
        diesel::RunQueryDsl::execute(line, connection)?;
    }
    Ok(())
}
