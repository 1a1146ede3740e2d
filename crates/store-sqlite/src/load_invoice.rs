//! Loading invoices with their lines and payments, each call in one snapshot.

use std::sync::OnceLock;

use ::invoices::Invoice;
use diesel::prelude::*;
use kernel::StoreResult;
use sqlite_writer::in_snapshot;
use store_schema::errors::store_error;
use store_schema::layout::Layout;
use store_schema::rows::{InvoiceRow, InvoiceRows, LineItemRow, PaymentRow, with_details};
use store_schema::schema::{invoices, line_items, payments};
use store_schema::types::RowId;
use store_schema::written_once::WrittenOnce;

use super::dialect::Connection;
use super::pool::PointRead;
use super::queries::columns::columns_of;
use super::queries::invoice_page::{Wanted, matching};
use super::queries::pooled_connection::PooledConnection;
use super::queries::seen_by_payers::{SeenByPayers, SeenByPayersQuery};

pub(super) async fn get(read: &mut PointRead, account: RowId, id: RowId) -> StoreResult<Option<Invoice>> {
    let (rows, lines, payments) = read.run(move |connection| one(connection, account, id)).await?;
    Ok(with_details(rows, lines, payments)?.pop())
}

impl RunQueryDsl<SqliteConnection> for SeenByPayersQuery {}

/// Loads the invoice of a payment page, with everything else that the payer sees.
pub(super) async fn for_payer(
    read: &mut PointRead,
    seen: SeenByPayersQuery,
) -> StoreResult<Option<(Invoice, SeenByPayers)>> {
    let all = move |connection: &mut SqliteConnection| {
        let id = invoices::table
            .filter(invoices::account_id.eq(seen.account))
            .filter(invoices::pay_token.eq(&seen.token))
            .select(invoices::id)
            .get_result(connection)
            .optional()?;
        let Some(id) = id else {
            return Ok(None);
        };
        let rows = one(connection, seen.account, id)?;
        Ok(Some((rows, seen.get_result(connection)?)))
    };
    let Some(((rows, lines, payments), seen)) = read.run(all).await? else {
        return Ok(None);
    };
    Ok(with_details(rows, lines, payments)?.pop().map(|invoice| (invoice, seen)))
}

/// Loads the wanted invoices.
pub(super) async fn list(
    connection: &mut PooledConnection,
    _layout: Layout,
    wanted: Wanted,
) -> StoreResult<Vec<Invoice>> {
    let read = move |connection: &mut SqliteConnection| page(connection, &wanted);
    let (rows, lines, payments) = in_one_snapshot(connection, read).await?;
    with_details(rows, lines, payments)
}

/// The rows of one invoice, inside a write transaction, in which no other can change them.
pub(super) async fn lock(connection: &mut Connection, account: RowId, id: RowId) -> QueryResult<InvoiceRows> {
    let read = move |connection: &mut SqliteConnection| one(connection, account, id);
    connection.spawn_blocking(read).await
}

async fn in_one_snapshot<R: Send + 'static>(
    pooled: &mut PooledConnection,
    read: impl FnOnce(&mut SqliteConnection) -> QueryResult<R> + Send + 'static,
) -> StoreResult<R> {
    let all = move |connection: &mut SqliteConnection| in_snapshot(connection, read);
    // After an error the statement is not settled, so the connection is closed together with its transaction.
    let found = pooled.conn()?.spawn_blocking(all).await.map_err(store_error)?;
    pooled.settle(Ok(found))
}

/// The rows of one invoice. Each connection prepares each of the three statements once.
fn one(connection: &mut SqliteConnection, account: RowId, id: RowId) -> QueryResult<InvoiceRows> {
    let rows = invoices::table
        .filter(invoices::account_id.eq(account))
        .filter(invoices::id.eq(id))
        .select(columns_of::<InvoiceRow>())
        .load(connection)?;
    if rows.is_empty() {
        return Ok((rows, Vec::new(), Vec::new()));
    }
    let lines = line_items::table
        .filter(line_items::account_id.eq(account))
        .filter(line_items::invoice_id.eq(id))
        .order(line_items::position)
        .select(columns_of::<LineItemRow>())
        .load(connection)?;
    let payments = payments::table
        .filter(payments::account_id.eq(account))
        .filter(payments::invoice_id.eq(id))
        .order(payments::id)
        .select(columns_of::<PaymentRow>())
        .load(connection)?;
    Ok((rows, lines, payments))
}

/// All three statements choose the page by a sub-query: with a list of ids they would be prepared anew for
/// each length. As the conditions vary, the text of each is generated anew, except for the columns.
fn page(connection: &mut SqliteConnection, wanted: &Wanted) -> QueryResult<InvoiceRows> {
    static OF_INVOICES: OnceLock<String> = OnceLock::new();
    static OF_LINES: OnceLock<String> = OnceLock::new();
    static OF_PAYMENTS: OnceLock<String> = OnceLock::new();
    let columns = WrittenOnce::at(&OF_INVOICES, columns_of::<InvoiceRow>());
    let rows: Vec<InvoiceRow> = matching(wanted).select(columns).load(connection)?;
    if rows.is_empty() {
        return Ok((rows, Vec::new(), Vec::new()));
    }
    let lines = line_items::table
        .filter(line_items::account_id.eq(wanted.account))
        .filter(line_items::invoice_id.eq_any(matching(wanted).select(invoices::id)))
        .order((line_items::invoice_id, line_items::position))
        .select(WrittenOnce::at(&OF_LINES, columns_of::<LineItemRow>()))
        .load(connection)?;
    let payments = payments::table
        .filter(payments::account_id.eq(wanted.account))
        .filter(payments::invoice_id.eq_any(matching(wanted).select(invoices::id)))
        .order((payments::invoice_id, payments::id))
        .select(WrittenOnce::at(&OF_PAYMENTS, columns_of::<PaymentRow>()))
        .load(connection)?;
    Ok((rows, lines, payments))
}
