//! A connection of the pool, with this store's errors.

use diesel::QueryResult;
use diesel::result::Error;
use futures_util::future::BoxFuture;
use kernel::{StoreError, StoreResult};
use store_schema::errors::{commit_error, failed, store_error};
use store_schema::in_flight_keys::InFlightKey;
use store_schema::layout::Layout;

use super::last_rows::LastRows;
use super::run_statements::RunStatements;
use crate::dialect::Connection;
use crate::pooled::{self, Pooled};

/// A connection lent by the pool.
pub(crate) struct PooledConnection(Pooled);

impl PooledConnection {
    pub(crate) const fn new(pooled: Pooled) -> Self {
        Self(pooled)
    }

    /// The connection, to run one statement on. Pass the result to [`PooledConnection::settle`].
    pub(crate) fn conn(&mut self) -> StoreResult<&mut Connection> {
        let connection = pooled::start_statement(&mut self.0);
        connection.ok_or_else(|| failed("the connection was returned already"))
    }

    /// Takes the result of the latest statement.
    pub(crate) fn settle<T>(&mut self, result: QueryResult<T>) -> StoreResult<T> {
        self.0.end_statement();
        result.map_err(|error| self.failed(error))
    }

    fn failed(&self, error: Error) -> StoreError {
        self.0.note_failure(&error);
        store_error(error)
    }

    /// Begins a snapshot for reads, which lasts until [`PooledConnection::end_reading`].
    pub(crate) async fn begin_reading(&mut self) -> StoreResult<()> {
        let begun = pooled::begin_reading(&mut self.0).await;
        begun.map_err(store_error)
    }

    /// Ends the snapshot.
    pub(crate) async fn end_reading(&mut self) -> StoreResult<()> {
        let ended = pooled::end_reading(&mut self.0).await;
        ended.map_err(store_error)
    }

    /// Writes the last rows and commits. The in-flight key may be released with the commit. Returns whether a
    /// published event has a delivery; if `everywhere`, other processes are notified of it.
    pub(crate) async fn commit(
        &mut self,
        last: LastRows,
        layout: Layout,
        everywhere: bool,
        in_flight_key: &mut Option<InFlightKey>,
    ) -> StoreResult<bool> {
        let committed = pooled::commit(&mut self.0, last, layout, everywhere, in_flight_key).await;
        committed.map_err(|error| {
            self.0.note_failure(&error);
            commit_error(error)
        })
    }

    /// Rolls back in the background, returns the connection and then releases the in-flight key.
    pub(crate) fn roll_back(self, in_flight_key: Option<InFlightKey>) {
        if let Some(in_flight_key) = &in_flight_key {
            in_flight_key.is_ending();
        }
        self.0.roll_back(in_flight_key);
    }
}

impl RunStatements for PooledConnection {
    async fn begin_statement(&mut self) -> StoreResult<&mut Connection> {
        self.conn()
    }

    fn end_statement<T>(&mut self, result: QueryResult<T>) -> StoreResult<T> {
        self.settle(result)
    }

    fn commit_statement(&mut self) -> Option<BoxFuture<'_, StoreResult<()>>> {
        let commit = pooled::commit_statement(&mut self.0)?;
        Some(Box::pin(async { commit.await.map_err(commit_error) }))
    }
}
