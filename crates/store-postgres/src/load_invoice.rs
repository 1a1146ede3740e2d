//! Loading invoices in one statement: each with its lines and payments, from one snapshot.
//!
//! Lines and payments are arrays of rows in the row of their invoice. The database reads the same index
//! ranges as for three statements; one statement saves messages, and needs no transaction for a common
//! snapshot.

use std::sync::OnceLock;

use ::invoices::Invoice;
use diesel::dsl::{AsSelect, SqlTypeOf};
use diesel::expression::{ValidGrouping, is_aggregate};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, BigInt, Integer, Nullable, Record, Text};
use kernel::StoreResult;
use store_schema::layout::Layout;
use store_schema::rows::{InvoiceRow, InvoiceRows, LineItemRow, PaymentRow};
use store_schema::schema::{invoices, line_items, payments};
use store_schema::types::{Instant, RowId, RowInstant, Uid};
use store_schema::written_once::{WrittenOnce, sql_text};

use super::dialect::{Connection, Locked, together};
use super::pool::PointRead;
use super::queries::columns::columns_of;
use super::queries::invoice_page::{Wanted, matching};
use super::queries::pooled_connection::PooledConnection;
use super::queries::seen_by_payers::{SeenByPayers, SeenByPayersQuery, SeenSql};
use super::shard::Shard;

/// Loads one invoice.
pub(super) async fn get(read: &mut PointRead, account: RowId, id: RowId) -> StoreResult<Option<Invoice>> {
    if let Some(found) = get_from_shard(read, account, id).await {
        return invoice(found).map(Some);
    }
    let query = invoices::table
        .filter(invoices::account_id.eq(account))
        .filter(invoices::id.eq(id))
        .select(columns(read.layout()));
    let found = diesel_async::RunQueryDsl::get_result::<LoadedRow>(query, &mut read.conn()?).await;
    let found = read.settle(found.optional())?;
    found.map(invoice).transpose()
}

/// Loads one invoice from its shard. `None` when it is not found, or the shard has moved.
async fn get_from_shard(read: &mut PointRead, account: RowId, id: RowId) -> Option<LoadedRow> {
    let shard = read.shard()?;
    let query = FromShard { text: shard.invoice_text(text_on).ok()?, account, id };
    let found = diesel_async::RunQueryDsl::get_result(query, &mut read.conn().ok()?).await;
    read.settle(found.optional()).ok()?
}

/// The text of the statement that loads an invoice of a shard, with account and id as parameters.
fn text_on(shard: &Shard) -> QueryResult<String> {
    let columns = sql_text::<Pg>(&columns_of::<InvoiceRow>())?;
    let account = account(Layout::OneServer);
    let lines = lines(&shard.name_of("line_items"), "", account);
    let payments = payments_of(&shard.name_of("payments"), "", account);
    let invoices = shard.name_of("invoices");
    let is_here = shard.is_here();
    Ok(format!(
        "SELECT {columns}, {lines}, {payments} FROM {invoices} AS invoices \
         WHERE {is_here} AND invoices.account_id = "
    ))
}

/// A statement whose text depends on the shard.
struct FromShard<'a> {
    text: &'a str,
    account: RowId,
    id: RowId,
}

impl QueryId for FromShard<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for FromShard<'_> {
    type SqlType = (SqlTypeOf<AsSelect<InvoiceRow, Pg>>, Array<Record<LineSql>>, Array<Record<PaymentSql>>);
}

impl QueryFragment<Pg> for FromShard<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(self.text);
        out.push_bind_param::<Uid, _>(&self.account)?;
        out.push_sql(" AND invoices.id = ");
        out.push_bind_param::<Uid, _>(&self.id)
    }
}

/// Loads the invoice of a payment page, with everything else that the payer sees.
pub(super) async fn for_payer(
    read: &mut PointRead,
    seen: SeenByPayersQuery,
) -> StoreResult<Option<(Invoice, SeenByPayers)>> {
    let query = ForPayer { columns: columns(read.layout()), seen };
    let found = diesel_async::RunQueryDsl::get_result(query, &mut read.conn()?).await;
    let found: Option<LoadedForPayer> = read.settle(found.optional())?;
    let Some((row, lines, payments, seen)) = found else {
        return Ok(None);
    };
    invoice((row, lines, payments)).map(|invoice| Some((invoice, seen)))
}

type LoadedForPayer = (InvoiceRow, Vec<LineTuple>, Vec<PaymentTuple>, SeenByPayers);

/// An invoice with everything else that its payer sees.
#[derive(QueryId)]
struct ForPayer {
    columns: WrittenOnce<LoadedColumns>,
    seen: SeenByPayersQuery,
}

impl Query for ForPayer {
    type SqlType =
        (SqlTypeOf<AsSelect<InvoiceRow, Pg>>, Array<Record<LineSql>>, Array<Record<PaymentSql>>, SeenSql);
}

impl QueryFragment<Pg> for ForPayer {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT ");
        self.columns.walk_ast(out.reborrow())?;
        out.push_sql(", ");
        SeenByPayersQuery::push_columns(&mut out);
        self.seen.push_rest(out)
    }
}

/// Loads the wanted invoices.
pub(super) async fn list(
    connection: &mut PooledConnection,
    layout: Layout,
    wanted: Wanted,
) -> StoreResult<Vec<Invoice>> {
    let query = matching(&wanted).select(columns(layout));
    let found = diesel_async::RunQueryDsl::load::<LoadedRow>(query, connection.conn()?).await;
    let found = connection.settle(found)?;
    found.into_iter().map(invoice).collect()
}

/// Locks the invoice's row and loads its lines and payments, in one round trip.
pub(super) async fn lock(connection: &mut Connection, account: RowId, id: RowId) -> QueryResult<InvoiceRows> {
    // The row first: the other statements run after it is locked, so they see what its last writer committed.
    let row = Locked(
        invoices::table
            .filter(invoices::account_id.eq(account))
            .filter(invoices::id.eq(id))
            .select(columns_of::<InvoiceRow>()),
    );
    let lines = line_items::table
        .filter(line_items::account_id.eq(account))
        .filter(line_items::invoice_id.eq(id))
        .order(line_items::position)
        .select(columns_of::<LineItemRow>());
    let payments = payments::table
        .filter(payments::account_id.eq(account))
        .filter(payments::invoice_id.eq(id))
        .order(payments::id)
        .select(columns_of::<PaymentRow>());
    together!(connection; row, lines, payments)
}

type LoadedColumns = (AsSelect<InvoiceRow, Pg>, Lines, Payments);

/// The columns of an invoice. In every query with them the account must be the first parameter.
fn columns(layout: Layout) -> WrittenOnce<LoadedColumns> {
    static TEXT: OnceLock<String> = OnceLock::new();
    static DISTRIBUTED: OnceLock<String> = OnceLock::new();
    let text = if layout.is_distributed() { &DISTRIBUTED } else { &TEXT };
    WrittenOnce::at(text, (columns_of::<InvoiceRow>(), Lines(layout), Payments(layout)))
}

/// The type to cast a row of lines or payments to. A server of a cluster returns it to another server, which
/// requires a named type.
const fn named(layout: Layout, name: &'static str) -> &'static str {
    match layout {
        Layout::OneServer => "",
        Layout::ByAccount => name,
    }
}

/// The account of the invoice. Only from a parameter does a cluster know that all rows are on one server.
const fn account(layout: Layout) -> &'static str {
    match layout {
        Layout::OneServer => "invoices.account_id",
        Layout::ByAccount => "$1",
    }
}

type LoadedRow = (InvoiceRow, Vec<LineTuple>, Vec<PaymentTuple>);

fn invoice((row, lines, payments): LoadedRow) -> StoreResult<Invoice> {
    let (account_id, invoice_id) = (row.account_id, row.id);
    let lines = lines.into_iter().map(|line| LineItemRow {
        account_id,
        invoice_id,
        position: line.0,
        id: line.1,
        description: line.2,
        quantity: line.3,
        unit_amount: line.4,
        tax_rate: line.5,
        tax_type: line.6,
        tax_amount: line.7,
        line_amount: line.8,
    });
    let payments = payments.into_iter().map(|payment| PaymentRow {
        account_id,
        invoice_id,
        id: payment.0,
        amount: payment.1,
        received_at: payment.2,
        method: payment.3,
        reference: payment.4,
        recorded_by: payment.5,
    });
    let (lines, payments) = (lines.collect(), payments.collect());
    row.into_invoice(lines, payments)
}

type LineTuple = (i32, RowId, String, i64, i64, i64, Option<String>, i64, i64);

type LineSql = (Integer, Uid, Text, BigInt, BigInt, BigInt, Nullable<Text>, BigInt, BigInt);

type PaymentTuple = (RowId, i64, RowInstant, String, Option<String>, String);
type PaymentSql = (Uid, BigInt, Instant, Text, Nullable<Text>, Text);

/// The lines of the invoice in the row, by position.
#[derive(Debug, Clone, Copy, QueryId)]
struct Lines(Layout);

/// The payments of the invoice in the row, oldest first.
#[derive(Debug, Clone, Copy, QueryId)]
struct Payments(Layout);

impl Expression for Lines {
    type SqlType = Array<Record<LineSql>>;
}

impl Expression for Payments {
    type SqlType = Array<Record<PaymentSql>>;
}

fn lines(table: &str, named: &str, account: &str) -> String {
    format!(
        "ARRAY(SELECT ROW(l.position, l.id, l.description, l.quantity, l.unit_amount, l.tax_rate, \
         l.tax_type, l.tax_amount, l.line_amount){named} FROM {table} AS l \
         WHERE l.account_id = {account} AND l.invoice_id = invoices.id ORDER BY l.position)",
    )
}

fn payments_of(table: &str, named: &str, account: &str) -> String {
    format!(
        "ARRAY(SELECT ROW(p.id, p.amount, p.received_at, p.method, p.reference, p.recorded_by){named} \
         FROM {table} AS p WHERE p.account_id = {account} AND p.invoice_id = invoices.id ORDER BY p.id)",
    )
}

impl QueryFragment<Pg> for Lines {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let (named, account) = (named(self.0, "::countinghouse_line"), account(self.0));
        out.push_sql(&lines("line_items", named, account));
        Ok(())
    }
}

impl QueryFragment<Pg> for Payments {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let (named, account) = (named(self.0, "::countinghouse_payment"), account(self.0));
        out.push_sql(&payments_of("payments", named, account));
        Ok(())
    }
}

impl SelectableExpression<invoices::table> for Lines {}
impl AppearsOnTable<invoices::table> for Lines {}
impl ValidGrouping<()> for Lines {
    type IsAggregate = is_aggregate::No;
}

impl SelectableExpression<invoices::table> for Payments {}
impl AppearsOnTable<invoices::table> for Payments {}
impl ValidGrouping<()> for Payments {
    type IsAggregate = is_aggregate::No;
}
