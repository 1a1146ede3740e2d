//! Statements that are sent together with COMMIT.

use std::any::TypeId;

use diesel::QueryResult;
use diesel::pg::Pg;
use diesel::query_builder::{QueryFragment, QueryId};
use diesel_async::{AsyncConnectionCore, AsyncPgConnection};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

/// A statement of any type. Every diesel statement that owns its values is one.
pub trait LastStatement: Send {
    /// The id under which diesel caches the prepared statement; `None` when diesel does not cache it.
    fn cached_as(&self) -> Option<TypeId>;

    /// Runs the statement. Returns how many rows it returned or changed.
    fn execute(self: Box<Self>, connection: &AsyncPgConnection) -> BoxFuture<'_, QueryResult<usize>>;
}

impl<Q> LastStatement for Q
where
    Q: QueryFragment<Pg> + QueryId + Send + 'static,
{
    fn cached_as(&self) -> Option<TypeId> {
        Q::query_id().filter(|_id| self.is_safe_to_cache_prepared(&Pg).unwrap_or(false))
    }

    fn execute(self: Box<Self>, mut connection: &AsyncPgConnection) -> BoxFuture<'_, QueryResult<usize>> {
        async move { connection.execute_returning_count(*self).await }.boxed()
    }
}
