//! Running one statement, on a connection or in a transaction.
//!
//! Each statement has a type of its own, and its futures have types as long. They are boxed here, so that the
//! compiler proves its bounds once for each statement, and not for every future and every caller.

use diesel::{OptionalExtension as _, QueryResult};
use diesel_async::RunQueryDsl;
use diesel_async::methods::{ExecuteDsl, LoadQuery};
use futures_util::future::BoxFuture;
use kernel::StoreResult;

use crate::dialect::Connection;

/// Something that runs statements: a connection or a transaction.
pub(crate) trait RunStatements: Send {
    /// The connection, to run one statement on.
    fn begin_statement(&mut self) -> impl Future<Output = StoreResult<&mut Connection>> + Send;

    /// Takes the result of the statement.
    fn end_statement<T>(&mut self, result: QueryResult<T>) -> StoreResult<T>;

    /// Commits the statement, if the database does not commit it by itself.
    fn commit_statement(&mut self) -> Option<BoxFuture<'_, StoreResult<()>>>;

    /// Takes the result of the statement, and returns it once it is committed, unless a transaction is open.
    fn end_and_commit<T: Send>(
        &mut self,
        result: QueryResult<T>,
    ) -> impl Future<Output = StoreResult<T>> + Send {
        async {
            let ended = self.end_statement(result)?;
            if let Some(commit) = self.commit_statement() {
                commit.await?;
            }
            Ok(ended)
        }
    }

    /// Every row that a query finds.
    fn fetch_all<'a, 'q: 'a, Q, R>(&'a mut self, query: Q) -> BoxFuture<'a, StoreResult<Vec<R>>>
    where
        Q: LoadQuery<'q, Connection, R> + Send + 'q,
        R: Send + 'a,
    {
        Box::pin(async move {
            let found = RunQueryDsl::load(query, self.begin_statement().await?).await;
            self.end_and_commit(found).await
        })
    }

    /// The row that a query finds, if any.
    fn fetch_optional<'a, 'q: 'a, Q, R>(&'a mut self, query: Q) -> BoxFuture<'a, StoreResult<Option<R>>>
    where
        Q: LoadQuery<'q, Connection, R> + Send + 'q,
        R: Send + 'a,
    {
        Box::pin(async move {
            let found = RunQueryDsl::get_result(query, self.begin_statement().await?).await;
            self.end_and_commit(found.optional()).await
        })
    }

    /// The one row that a query finds. No row is an error.
    fn fetch_one<'a, 'q: 'a, Q, R>(&'a mut self, query: Q) -> BoxFuture<'a, StoreResult<R>>
    where
        Q: LoadQuery<'q, Connection, R> + Send + 'q,
        R: Send + 'a,
    {
        Box::pin(async move {
            let found = RunQueryDsl::get_result(query, self.begin_statement().await?).await;
            self.end_and_commit(found).await
        })
    }

    /// Executes a statement. Returns how many rows it changed.
    fn execute<'a, 'q: 'a, Q>(&'a mut self, statement: Q) -> BoxFuture<'a, StoreResult<usize>>
    where
        Q: ExecuteDsl<Connection> + Send + 'q,
    {
        Box::pin(async move {
            let changed = RunQueryDsl::execute(statement, self.begin_statement().await?).await;
            self.end_and_commit(changed).await
        })
    }
}
