//! Running one statement, on a connection or in a transaction.
//!
//! Each statement has a type of its own, with futures as long. Here they are boxed, so that the compiler
//! proves what it needs of a statement once, and not for each future and each step behind it.

use diesel::{OptionalExtension as _, QueryResult};
use diesel_async::RunQueryDsl;
use diesel_async::methods::{ExecuteDsl, LoadQuery};
use futures_util::future::BoxFuture;
use kernel::StoreError;

use crate::dialect::Connection;

/// Where statements are run.
pub(crate) trait RunStatements: Send {
    /// The connection, to run one statement on.
    fn begin_statement(&mut self) -> impl Future<Output = Result<&mut Connection, StoreError>> + Send;

    /// Takes the result of that statement.
    fn end_statement<T>(&mut self, result: QueryResult<T>) -> Result<T, StoreError>;

    /// Every row that a query finds.
    fn fetch_all<'a, 'q: 'a, Q, R>(&'a mut self, query: Q) -> BoxFuture<'a, Result<Vec<R>, StoreError>>
    where
        Q: LoadQuery<'q, Connection, R> + Send + 'q,
        R: Send + 'a,
    {
        Box::pin(async move {
            let found = RunQueryDsl::load(query, self.begin_statement().await?).await;
            self.end_statement(found)
        })
    }

    /// The row that a query finds, if it finds one.
    fn fetch_optional<'a, 'q: 'a, Q, R>(
        &'a mut self,
        query: Q,
    ) -> BoxFuture<'a, Result<Option<R>, StoreError>>
    where
        Q: LoadQuery<'q, Connection, R> + Send + 'q,
        R: Send + 'a,
    {
        Box::pin(async move {
            let found = RunQueryDsl::get_result(query, self.begin_statement().await?).await;
            self.end_statement(found.optional())
        })
    }

    /// The row that a query finds. None is an error.
    fn fetch_one<'a, 'q: 'a, Q, R>(&'a mut self, query: Q) -> BoxFuture<'a, Result<R, StoreError>>
    where
        Q: LoadQuery<'q, Connection, R> + Send + 'q,
        R: Send + 'a,
    {
        Box::pin(async move {
            let found = RunQueryDsl::get_result(query, self.begin_statement().await?).await;
            self.end_statement(found)
        })
    }

    /// Executes a statement. Returns how many rows it changed.
    fn execute<'a, 'q: 'a, Q>(&'a mut self, statement: Q) -> BoxFuture<'a, Result<usize, StoreError>>
    where
        Q: ExecuteDsl<Connection> + Send + 'q,
    {
        Box::pin(async move {
            let changed = RunQueryDsl::execute(statement, self.begin_statement().await?).await;
            self.end_statement(changed)
        })
    }
}
