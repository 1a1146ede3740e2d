//! Statements that are sent together with COMMIT.

use std::any::TypeId;

use diesel::QueryResult;
use diesel::pg::Pg;
use diesel::query_builder::{QueryFragment, QueryId};
use diesel_async::{AsyncConnectionCore, AsyncPgConnection};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

/// A statement of any type. Every statement of diesel's that owns its values is one.
pub trait LastStatement: Send {
    /// By which id diesel caches it once it is prepared; `None` when it does not.
    fn cached_as(&self) -> Option<TypeId>;

    /// Runs it, and says how many rows it returned or changed.
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
