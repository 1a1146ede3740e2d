//! A transaction that begins with its first statement.
//!
//! A request that is refused before any statement takes no connection. A failed statement is remembered,
//! because PostgreSQL reports success for the COMMIT of a failed transaction, although it rolls back.

use diesel::QueryResult;
use diesel::query_builder::QueryFragment;
use diesel::result::{DatabaseErrorKind, Error};
use diesel_async::AsyncConnectionCore as _;
use futures_util::future::BoxFuture;
use kernel::{StoreError, StoreResult};
use store_schema::delivery_notifier::DeliveryNotifier;
use store_schema::errors::failed;
use store_schema::in_flight_keys::InFlightKey;
use store_schema::layout::Layout;
use store_schema::rows::{ChargeRow, InvoiceRow, LineItemRow, PaymentRow, StoredResponseRow};

use super::boxed_statement::BoxedStatement;
use super::insert_job::InsertJob;
use super::last_rows::LastRows;
use super::pooled_connection::PooledConnection;
use super::publication::Publication;
use super::purpose::Purpose;
use super::run_statements::RunStatements;
use super::update_paid::UpdatePaid;
use crate::dialect::{Connection, Db};
use crate::pool::Pool;

/// A transaction, begun or not. Dropping it rolls it back.
pub(crate) struct Transaction {
    pool: Pool,
    purpose: Purpose,
    connection: Option<PooledConnection>,
    in_flight_key: Option<InFlightKey>,
    has_failed: bool,
    last: LastRows,
    /// Woken after COMMIT if there are deliveries.
    delivery_notifier: Option<DeliveryNotifier>,
    has_deliveries: bool,
}

impl Transaction {
    pub(crate) fn new(pool: Pool, purpose: Purpose) -> Self {
        Self {
            pool,
            purpose,
            connection: None,
            in_flight_key: None,
            has_failed: false,
            last: LastRows::default(),
            delivery_notifier: None,
            has_deliveries: false,
        }
    }

    /// The connection, to run one statement on. Pass the result to [`Transaction::settle`].
    pub(crate) async fn conn(&mut self) -> StoreResult<&mut Connection> {
        if self.has_failed {
            return Err(failed("an earlier statement of the transaction failed"));
        }
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.pool.begin(self.purpose).await?,
        };
        self.connection.insert(connection).conn()
    }

    /// Executes a statement that fails when another transaction inserted the same unique value first. The
    /// whole transaction is then worth repeating. Returns how many rows the statement changed.
    pub(crate) async fn execute_unique(
        &mut self,
        statement: impl QueryFragment<Db> + Send,
    ) -> StoreResult<usize> {
        let (changed, lost_a_race) = self.execute_in_race(BoxedStatement::new(statement)).await?;
        changed.map_err(|error| match error {
            StoreError::Failed(source) if lost_a_race => StoreError::contended(source),
            other => other,
        })
    }

    /// Executes a statement; `None` when it fails because another row has a unique value. The transaction has
    /// then failed.
    pub(crate) async fn execute_unless_taken(
        &mut self,
        statement: impl QueryFragment<Db> + Send,
    ) -> StoreResult<Option<usize>> {
        match self.execute_in_race(BoxedStatement::new(statement)).await? {
            (Err(StoreError::Failed(_)), true) => Ok(None),
            (changed, _) => changed.map(Some),
        }
    }

    /// The result of a statement, and whether it failed because another row has a unique value.
    async fn execute_in_race(
        &mut self,
        statement: BoxedStatement<'_>,
    ) -> StoreResult<(StoreResult<usize>, bool)> {
        let changed = self.conn().await?.execute_returning_count(statement).await;
        let unique = DatabaseErrorKind::UniqueViolation;
        let lost_a_race = matches!(&changed, Err(Error::DatabaseError(kind, _)) if *kind == unique);
        Ok((self.settle(changed), lost_a_race))
    }

    /// Takes the result of the latest statement.
    pub(crate) fn settle<T>(&mut self, result: QueryResult<T>) -> StoreResult<T> {
        self.has_failed |= result.is_err();
        match &mut self.connection {
            Some(connection) => connection.settle(result),
            None => Err(failed("the transaction has no connection")),
        }
    }

    /// Whether a statement was run in the transaction.
    pub(crate) const fn has_begun(&self) -> bool {
        self.connection.is_some()
    }

    /// The placement of the tables.
    pub(crate) const fn layout(&self) -> Layout {
        self.pool.layout()
    }

    /// A connection that reads committed data, beside the transaction.
    pub(crate) async fn read_outside_transaction(&self) -> StoreResult<PooledConnection> {
        self.pool.read().await
    }

    /// Keeps an in-flight key until the transaction ends, however it ends.
    pub(crate) fn keep_in_flight_key(&mut self, in_flight_key: InFlightKey) {
        self.in_flight_key = Some(in_flight_key);
    }

    /// Writes a payment, and the locked invoice that it pays, together with COMMIT.
    pub(crate) fn store_paid(&mut self, payment: PaymentRow, invoice: UpdatePaid) -> StoreResult<()> {
        match self.last.paid.replace((payment, invoice)) {
            None => Ok(()),
            Some(_earlier) => Err(failed("a transaction records one payment")),
        }
    }

    /// Inserts an invoice with its lines together with COMMIT.
    pub(crate) fn store_invoice(&mut self, invoice: InvoiceRow, lines: Vec<LineItemRow>) -> StoreResult<()> {
        match self.last.invoice.replace((invoice, lines)) {
            None => Ok(()),
            Some(_earlier) => Err(failed("a transaction inserts one invoice with its commit")),
        }
    }

    /// Whether an invoice or a payment waits for COMMIT. A read of invoices does not show it yet.
    pub(crate) const fn writes_invoice_last(&self) -> bool {
        self.last.invoice.is_some() || self.last.paid.is_some()
    }

    /// Writes an event together with COMMIT, which then wakes the delivery workers.
    pub(crate) fn publish(&mut self, publication: Publication, delivery_notifier: &DeliveryNotifier) {
        self.last.publications.push(publication);
        self.delivery_notifier = Some(delivery_notifier.clone());
    }

    /// Inserts a stored response together with COMMIT.
    pub(crate) fn store_response(&mut self, response: StoredResponseRow) {
        self.last.response = Some(response);
    }

    /// Inserts a charge together with COMMIT.
    pub(crate) fn store_charge(&mut self, charge: ChargeRow) {
        self.last.charges.push(charge);
    }

    /// Removes and returns the charges that wait for COMMIT, for a caller that inserts rows that reference
    /// them.
    pub(crate) fn take_charges(&mut self) -> Vec<ChargeRow> {
        std::mem::take(&mut self.last.charges)
    }

    /// Inserts a job together with COMMIT.
    pub(crate) fn queue_job(&mut self, job: InsertJob) {
        self.last.jobs.push(job);
    }

    /// Wakes the delivery workers of this process after COMMIT.
    pub(crate) fn wake_delivery_workers(&mut self, delivery_notifier: &DeliveryNotifier) {
        self.delivery_notifier = Some(delivery_notifier.clone());
        self.has_deliveries = true;
    }

    /// Commits, if anything was done.
    pub(crate) async fn commit(mut self) -> StoreResult<()> {
        if !self.last.is_empty() {
            // The last rows need a transaction even when no statement preceded them.
            self.conn().await?;
        }
        if self.has_failed {
            return Err(failed("an earlier statement of the transaction failed"));
        }
        let Some(connection) = &mut self.connection else {
            return Ok(());
        };
        let last = std::mem::take(&mut self.last);
        let everywhere = self.delivery_notifier.as_ref().is_some_and(DeliveryNotifier::tells_everyone);
        let layout = self.pool.layout();
        let published = connection.commit(last, layout, everywhere, &mut self.in_flight_key).await?;
        // Return the connection before the key is released.
        self.connection = None;
        if let Some(delivery_notifier) = self.delivery_notifier.take()
            && (published || self.has_deliveries)
        {
            delivery_notifier.wake();
        }
        Ok(())
    }
}

impl RunStatements for Transaction {
    async fn begin_statement(&mut self) -> StoreResult<&mut Connection> {
        self.conn().await
    }

    fn end_statement<T>(&mut self, result: QueryResult<T>) -> StoreResult<T> {
        self.settle(result)
    }

    fn commit_statement(&mut self) -> Option<BoxFuture<'_, StoreResult<()>>> {
        None
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            connection.roll_back(self.in_flight_key.take());
        }
    }
}
