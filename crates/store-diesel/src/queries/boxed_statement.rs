//! A statement whose type is erased.
//!
//! Each statement has a type of its own, and whatever is generic over it is compiled once for each of several
//! hundred statements. Only what writes its text and its arguments is; what runs it is compiled once.

use diesel::QueryResult;
use diesel::deserialize::{self, FromSqlRow};
use diesel::query_builder::{AsQuery, AstPass, Query, QueryFragment, QueryId};
use diesel::query_dsl::CompatibleType;
use diesel::sql_types::Untyped;
use diesel_async::AsyncConnectionCore;

use crate::dialect::{Connection, Db};

/// A row that a query found.
pub(crate) type Row = <Connection as AsyncConnectionCore>::Row<'static, 'static>;

/// A statement without its type. A connection keeps it prepared under its text.
pub(crate) struct BoxedStatement<'q>(Box<dyn WalkAst + Send + 'q>);

impl<'q> BoxedStatement<'q> {
    pub(crate) fn new(statement: impl QueryFragment<Db> + Send + 'q) -> Self {
        Self(Box::new(statement))
    }
}

impl QueryFragment<Db> for BoxedStatement<'_> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        self.0.walk(out)
    }
}

impl QueryId for BoxedStatement<'_> {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for BoxedStatement<'_> {
    type SqlType = Untyped;
}

/// The one method of a [`QueryFragment`] that depends on its type. A trait object of [`QueryFragment`] would
/// have all of them compiled for each type.
trait WalkAst {
    fn walk<'b>(&'b self, out: AstPass<'_, 'b, Db>) -> QueryResult<()>;
}

impl<S: QueryFragment<Db>> WalkAst for S {
    fn walk<'b>(&'b self, out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        self.walk_ast(out)
    }
}

/// A query without its type, and how its rows are read.
pub(crate) struct BoxedQuery<'q, R> {
    pub(crate) statement: BoxedStatement<'q>,
    pub(crate) read: fn(&Row) -> deserialize::Result<R>,
}

/// A query whose rows can be read as `R`.
pub(crate) trait Selects<'q, R> {
    /// Erases the type of the query.
    fn boxed(self) -> BoxedQuery<'q, R>;
}

impl<'q, Q, R, ST> Selects<'q, R> for Q
where
    Q: AsQuery,
    Q::Query: QueryFragment<Db> + Send + 'q,
    Q::SqlType: CompatibleType<R, Db, SqlType = ST>,
    R: FromSqlRow<ST, Db>,
{
    fn boxed(self) -> BoxedQuery<'q, R> {
        BoxedQuery { statement: BoxedStatement::new(self.as_query()), read: |row| R::build_from_row(row) }
    }
}
