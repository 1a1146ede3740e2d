//! Whole invoices: each with its lines and payments, as it was at one moment.
//!
//! Every statement on this database is work for a thread that may block. What belongs together goes there together, since the way
//! there and back costs more than most statements.

use ::invoices::Invoice;
use diesel::prelude::*;
use kernel::StoreError;

use super::queries::Lease;
use super::queries::invoice_reads::{Wanted, matching};
use crate::rows::{InvoiceRow, LineItemRow, PaymentRow, with_details};
use crate::schema::{invoices, line_items, payments};
use crate::types::RowId;

/// The invoice.
pub(super) async fn get(
    lease: &mut Lease,
    account: RowId,
    id: RowId,
) -> Result<Option<Invoice>, StoreError> {
    let read = move |connection: &mut SqliteConnection| {
        let one = invoices::table
            .filter(invoices::account_id.eq(account))
            .filter(invoices::id.eq(id))
            .select(InvoiceRow::as_select());
        let rows = one.load(connection)?;
        with_rest(connection, account, rows)
    };
    Ok(at_one_moment(lease, read).await?.pop())
}

/// The invoices that are wanted.
pub(super) async fn list(lease: &mut Lease, wanted: Wanted) -> Result<Vec<Invoice>, StoreError> {
    let read = move |connection: &mut SqliteConnection| {
        let rows = matching(&wanted).select(InvoiceRow::as_select());
        let rows = rows.load(connection)?;
        with_rest(connection, wanted.account, rows)
    };
    at_one_moment(lease, read).await
}

type Rows = (Vec<InvoiceRow>, Vec<LineItemRow>, Vec<PaymentRow>);

async fn at_one_moment(
    lease: &mut Lease,
    read: impl FnOnce(&mut SqliteConnection) -> QueryResult<Rows> + Send + 'static,
) -> Result<Vec<Invoice>, StoreError> {
    let connection = lease.conn()?;
    let found = connection.spawn_blocking(move |connection| connection.transaction(read));
    let found = found.await;
    let (rows, lines, payments) = lease.settle(found)?;
    with_details(rows, lines, payments)
}

fn with_rest(
    connection: &mut SqliteConnection,
    account: RowId,
    rows: Vec<InvoiceRow>,
) -> QueryResult<Rows> {
    if rows.is_empty() {
        return Ok((rows, Vec::new(), Vec::new()));
    }
    let ids: Vec<RowId> = rows.iter().map(|row| row.id).collect();
    let lines = line_items::table
        .filter(line_items::account_id.eq(account))
        .filter(line_items::invoice_id.eq_any(ids.clone()))
        .order((line_items::invoice_id, line_items::position))
        .select(LineItemRow::as_select())
        .load(connection)?;
    let payments = payments::table
        .filter(payments::account_id.eq(account))
        .filter(payments::invoice_id.eq_any(ids))
        .order((payments::invoice_id, payments::id))
        .select(PaymentRow::as_select())
        .load(connection)?;
    Ok((rows, lines, payments))
}
