//! The connections to PostgreSQL, with this store's errors.

use diesel::QueryResult;
use diesel_async::AsyncPgConnection;
use kernel::StoreError;
use postgres_pool::{PoolOptions, ShortQueryConnection};
use tokio::runtime::Handle;

use super::queries::pooled_connection::PooledConnection;
use super::queries::purpose::Purpose;
use crate::errors::{pool_error, store_error};
use crate::layout::Layout;
use crate::options::{OpenError, StoreOptions};
use crate::ports::PoolStatus;

/// The connections to one database.
#[derive(Clone)]
pub(super) struct Pool {
    connections: postgres_pool::Pool,
    layout: Layout,
}

impl Pool {
    /// A pool that opens connections when they are needed.
    pub(super) fn new(url: &str, options: &StoreOptions) -> Result<Self, OpenError> {
        let pool = PoolOptions {
            application_name: "countinghouse",
            max_connections: options.max_connections,
            acquire_timeout: options.acquire_timeout,
            statement_timeout: options.statement_timeout,
            extra_ca_file: options.extra_ca_file.clone(),
            ..PoolOptions::default()
        };
        Ok(Self { connections: postgres_pool::Pool::new(url, &pool)?, layout: options.layout })
    }

    /// This pool with connections of the calling thread's own.
    pub(super) fn for_thread(&self) -> Self {
        Self { connections: self.connections.for_thread(), layout: self.layout }
    }

    /// A connection to read what is committed.
    pub(super) async fn read(&self) -> Result<PooledConnection, StoreError> {
        self.connections.get().await.map(PooledConnection::new).map_err(pool_error)
    }

    /// One of the connections that all threads share.
    pub(super) async fn read_shared(&self) -> Result<PooledConnection, StoreError> {
        let shared = self.connections.get_shared().await;
        shared.map(PooledConnection::new).map_err(pool_error)
    }

    /// A connection for a query that finds one row by a unique key.
    pub(super) async fn point_read(&self) -> Result<PointRead, StoreError> {
        let connection = self.connections.get_for_short_query().await;
        connection.map(|lent| PointRead(lent, self.layout)).map_err(pool_error)
    }

    /// A connection for one statement that is a transaction of its own.
    pub(super) async fn write(&self) -> Result<PooledConnection, StoreError> {
        self.read().await
    }

    /// A connection with a transaction begun.
    pub(super) async fn begin(&self, _purpose: Purpose) -> Result<PooledConnection, StoreError> {
        let mut connection = self.connections.get().await.map_err(pool_error)?;
        connection.begin().map_err(store_error)?;
        Ok(PooledConnection::new(connection))
    }

    pub(super) fn status(&self) -> PoolStatus {
        let status = self.connections.status();
        PoolStatus {
            most: status.max_connections,
            size: status.open,
            available: status.available,
            waiting: status.waiting,
        }
    }

    /// A connection beside the pool, without time limits.
    pub(super) async fn connect_aside(&self) -> Result<AsyncPgConnection, StoreError> {
        let connected = self.connections.connect_unpooled().await;
        connected.map_err(|source| StoreError::Unavailable(source.into()))
    }

    /// Where the tables are.
    pub(super) const fn layout(&self) -> Layout {
        self.layout
    }

    pub(super) fn runtime(&self) -> &Handle {
        self.connections.runtime()
    }
}

/// A connection for one query that finds one row by a unique key.
pub(super) struct PointRead(ShortQueryConnection, Layout);

impl PointRead {
    /// The connection, to run the query on. [`PointRead::settle`] takes its result.
    pub(super) fn conn(&mut self) -> Result<&AsyncPgConnection, StoreError> {
        Ok(self.0.start_statement())
    }

    /// Where the tables are.
    pub(super) const fn layout(&self) -> Layout {
        self.1
    }

    /// Takes the result of the query.
    pub(super) fn settle<T>(&mut self, result: QueryResult<T>) -> Result<T, StoreError> {
        self.0.end_statement();
        result.map_err(store_error)
    }
}
