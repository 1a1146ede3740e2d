//! Running one statement, on a connection or in a transaction.
//!
//! Each statement has a type of its own. It is erased here, so that the compiler proves its bounds once for
//! each statement, and not for every future and every caller.

use diesel::query_builder::QueryFragment;
use diesel::result::Error;
use diesel::{QueryResult, deserialize};
use diesel_async::AsyncConnectionCore as _;
use futures_util::TryStreamExt as _;
use futures_util::future::BoxFuture;
use kernel::StoreResult;
use store_schema::errors::store_error;

use super::boxed_statement::{BoxedQuery, BoxedStatement, Row, Selects};
use crate::dialect::{Connection, Db};

/// Something that runs statements: a connection or a transaction.
pub(crate) trait RunStatements: Send {
    /// The connection, to run one statement on.
    fn begin_statement(&mut self) -> impl Future<Output = StoreResult<&mut Connection>> + Send;

    /// Takes the result of the statement.
    fn end_statement<T>(&mut self, result: QueryResult<T>) -> StoreResult<T>;

    /// Commits the statement, if the database does not commit it by itself.
    fn commit_statement(&mut self) -> Option<BoxFuture<'_, StoreResult<()>>>;

    /// Runs a query, and takes each row that it finds.
    fn each_row(
        &mut self,
        query: BoxedStatement<'_>,
        take: &mut (dyn FnMut(&Row) -> deserialize::Result<()> + Send),
    ) -> impl Future<Output = StoreResult<()>> + Send {
        async {
            let found = take_rows(self.begin_statement().await?, query, take).await;
            self.end_and_commit(found).await
        }
    }

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
    fn fetch_all<'a, 'q: 'a, R: Send + 'a>(
        &'a mut self,
        query: impl Selects<'q, R>,
    ) -> BoxFuture<'a, StoreResult<Vec<R>>> {
        all(self, query.boxed())
    }

    /// The row that a query finds, if any.
    fn fetch_optional<'a, 'q: 'a, R: Send + 'a>(
        &'a mut self,
        query: impl Selects<'q, R>,
    ) -> BoxFuture<'a, StoreResult<Option<R>>> {
        first(self, query.boxed())
    }

    /// The one row that a query finds. No row is an error.
    fn fetch_one<'a, 'q: 'a, R: Send + 'a>(
        &'a mut self,
        query: impl Selects<'q, R>,
    ) -> BoxFuture<'a, StoreResult<R>> {
        one(self, query.boxed())
    }

    /// Executes a statement. Returns how many rows it changed.
    fn execute<'a, 'q: 'a>(
        &'a mut self,
        statement: impl QueryFragment<Db> + Send + 'q,
    ) -> BoxFuture<'a, StoreResult<usize>> {
        execute(self, BoxedStatement::new(statement))
    }
}

async fn take_rows(
    connection: &mut Connection,
    query: BoxedStatement<'_>,
    take: &mut (dyn FnMut(&Row) -> deserialize::Result<()> + Send),
) -> QueryResult<()> {
    let mut rows = connection.load(query).await?;
    while let Some(row) = rows.try_next().await? {
        take(&row).map_err(Error::DeserializationError)?;
    }
    Ok(())
}

// The futures below are generic over the rows, and not over the type of the statement.

fn all<'a, R: Send + 'a>(
    on: &'a mut (impl RunStatements + ?Sized),
    query: BoxedQuery<'a, R>,
) -> BoxFuture<'a, StoreResult<Vec<R>>> {
    Box::pin(async move {
        let mut found = Vec::new();
        let mut take = |row: &Row| {
            found.push((query.read)(row)?);
            Ok(())
        };
        on.each_row(query.statement, &mut take).await?;
        Ok(found)
    })
}

fn first<'a, R: Send + 'a>(
    on: &'a mut (impl RunStatements + ?Sized),
    query: BoxedQuery<'a, R>,
) -> BoxFuture<'a, StoreResult<Option<R>>> {
    Box::pin(async move {
        let mut found = None;
        let mut take = |row: &Row| {
            if found.is_none() {
                found = Some((query.read)(row)?);
            }
            Ok(())
        };
        on.each_row(query.statement, &mut take).await?;
        Ok(found)
    })
}

fn one<'a, R: Send + 'a>(
    on: &'a mut (impl RunStatements + ?Sized),
    query: BoxedQuery<'a, R>,
) -> BoxFuture<'a, StoreResult<R>> {
    let found = first(on, query);
    Box::pin(async { found.await?.ok_or_else(|| store_error(Error::NotFound)) })
}

fn execute<'a>(
    on: &'a mut (impl RunStatements + ?Sized),
    statement: BoxedStatement<'a>,
) -> BoxFuture<'a, StoreResult<usize>> {
    Box::pin(async move {
        let changed = on.begin_statement().await?.execute_returning_count(statement).await;
        on.end_and_commit(changed).await
    })
}
