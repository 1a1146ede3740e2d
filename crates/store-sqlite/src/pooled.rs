//! A lent connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use diesel::connection::Connection as _;
use diesel::result::Error;
use diesel::{QueryResult, RunQueryDsl, SqliteConnection};
use diesel_async::SimpleAsyncConnection as _;
use sqlite_writer::{Connection, LastStatement, Reader, TransactionGuard, WriteTransaction};
use store_schema::in_flight_keys::InFlightKey;
use store_schema::layout::Layout;
use store_schema::schema::{charges, idempotency_keys, payments};

use super::insert_invoice::insert_generated;
use super::publish::publish;
use super::queries::last_rows::LastRows;

/// The kind of lent connection.
pub(super) enum LentConnection {
    Reader(Reader),
    Writing(WriteTransaction),
    /// For one statement, which is committed when it has succeeded.
    WritingOnce(WriteTransaction),
}

/// A lent connection. If it is dropped inside a statement or a transaction, it is closed or rolled back
/// before it is lent again.
pub(super) struct Pooled {
    lent: Option<LentConnection>,
    in_statement: bool,
    in_transaction: bool,
}

impl Pooled {
    pub(super) const fn new(lent: LentConnection, in_transaction: bool) -> Self {
        Self { lent: Some(lent), in_statement: false, in_transaction }
    }

    /// Records that the statement has ended, whether it succeeded or failed.
    pub(super) const fn end_statement(&mut self) {
        self.in_statement = false;
    }

    /// There is nothing to note: the writer itself closes a connection whose transaction is in doubt.
    #[expect(clippy::unused_self, reason = "the other database notes the failure on the connection")]
    pub(super) const fn note_failure(&self, _error: &Error) {}

    async fn execute(&mut self, statement: &str) -> QueryResult<()> {
        let connection = start_statement(self).ok_or(Error::NotInTransaction)?;
        let executed = connection.batch_execute(statement).await;
        self.end_statement();
        executed
    }

    /// Rolls back after a statement that may still be running, and then releases the in-flight key.
    pub(super) fn roll_back(mut self, in_flight_key: Option<InFlightKey>) {
        match self.lent.take() {
            Some(LentConnection::Writing(writing)) => {
                if writing.sees_uncommitted() {
                    kernel::report_uncertain();
                }
                writing.roll_back(guard(in_flight_key));
            }
            Some(LentConnection::Reader(reader)) => reader.close(),
            Some(LentConnection::WritingOnce(_)) | None => {}
        }
    }
}

/// The connection, to run one statement on, unless the transaction has ended.
pub(super) fn start_statement(pooled: &mut Pooled) -> Option<&mut Connection> {
    pooled.in_statement = true;
    match pooled.lent.as_mut()? {
        LentConnection::Reader(reader) => reader.connection(),
        LentConnection::Writing(writing) | LentConnection::WritingOnce(writing) => writing.connection(),
    }
}

/// The COMMIT of the statement, if it is the only one of its transaction.
pub(super) fn commit_statement(
    pooled: &mut Pooled,
) -> Option<impl Future<Output = QueryResult<()>> + use<'_>> {
    match &mut pooled.lent {
        Some(LentConnection::WritingOnce(writing)) => Some(writing.commit(None, None)),
        _ => None,
    }
}

/// Begins a snapshot, which is that of the first query.
pub(super) async fn begin_reading(pooled: &mut Pooled) -> QueryResult<()> {
    pooled.in_transaction = true;
    pooled.execute("BEGIN").await
}

/// Ends the snapshot.
pub(super) async fn end_reading(pooled: &mut Pooled) -> QueryResult<()> {
    pooled.execute("COMMIT").await?;
    pooled.in_transaction = false;
    Ok(())
}

/// Writes the last rows and commits. The in-flight key is released at COMMIT, even if the caller was dropped.
/// Returns whether a published event has a delivery.
pub(super) async fn commit(
    pooled: &mut Pooled,
    rows: LastRows,
    _layout: Layout,
    _everywhere: bool,
    in_flight_key: &mut Option<InFlightKey>,
) -> QueryResult<bool> {
    let Some(LentConnection::Writing(writing)) = &mut pooled.lent else {
        return Err(Error::NotInTransaction);
    };
    let published = Arc::new(AtomicBool::new(false));
    let result = published.clone();
    let last = (!rows.is_empty())
        .then(|| -> LastStatement { Box::new(move |connection| write(rows, connection, &result)) });
    writing.commit(last, guard(in_flight_key.take())).await?;
    Ok(published.load(Ordering::Relaxed))
}

fn write(rows: LastRows, connection: &mut SqliteConnection, published: &AtomicBool) -> QueryResult<()> {
    for publication in &rows.publications {
        published.fetch_or(publish(connection, publication)?, Ordering::Relaxed);
    }
    if let Some((invoice, lines)) = &rows.invoice {
        insert_generated(connection, invoice, lines)?;
    }
    if let Some((payment, invoice)) = &rows.paid {
        diesel::insert_into(payments::table).values(payment).execute(connection)?;
        connection.execute_returning_count(invoice)?;
    }
    for row in &rows.charges {
        diesel::insert_into(charges::table).values(row).execute(connection)?;
    }
    for job in rows.jobs {
        connection.execute_returning_count(&job)?;
    }
    if let Some(row) = &rows.response {
        diesel::insert_into(idempotency_keys::table).values(row).execute(connection)?;
    }
    Ok(())
}

fn guard(in_flight_key: Option<InFlightKey>) -> Option<TransactionGuard> {
    in_flight_key.map(|in_flight_key| -> TransactionGuard { Box::new(in_flight_key) })
}

impl Drop for Pooled {
    fn drop(&mut self) {
        let is_clean = !self.in_transaction && !self.in_statement;
        match self.lent.take() {
            Some(LentConnection::Reader(reader)) if !is_clean => reader.close(),
            // An open transaction rolls back when it is dropped.
            _ => {}
        }
    }
}
