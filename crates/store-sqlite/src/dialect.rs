//! SQL and functions of SQLite where PostgreSQL's differ.

use diesel::prelude::*;
use diesel::query_builder::{AstPass, InsertStatement, Query, QueryFragment, QueryId};
use diesel::query_dsl::methods::ExecuteDsl;
use diesel::sqlite::Sqlite;
use store_schema::json_rows::ValueType;
use store_schema::ports::DatabaseKind;
use store_schema::types::RowId;

pub(super) use sqlite_writer::Connection;

pub(super) type Db = Sqlite;
pub(super) const KIND: DatabaseKind = DatabaseKind::Sqlite;

/// The version of the database.
pub(super) const VERSION: &str = "sqlite_version()";

/// The expression for the language of the database's messages.
pub(super) const MESSAGE_LANGUAGE: &str = "'C'";

/// The expression for the names of settings that are off although commits are not durable without them:
/// every connection sets its own.
pub(super) const UNSAFE_SETTINGS: &str = "''";

/// The function that builds a JSON object from names and values.
pub(super) const JSON_OBJECT: &str = "json_object";

/// The interpretation of a message, with the quoted evidence removed.
pub(super) const WITHOUT_EVIDENCE: &str = "json_set(understood, '$.evidence', '')";

/// The position of bytes in a body, 0 if it does not contain them: append the parameter and
/// [`POSITION_IN_BODY_END`].
pub(super) const POSITION_IN_BODY_BEGIN: &str = "instr(body, ";

/// See [`POSITION_IN_BODY_BEGIN`].
pub(super) const POSITION_IN_BODY_END: &str = ")";

/// The expression for the database's current time.
pub(super) const CLOCK: &str = "CAST(round(unixepoch('subsec') * 1000000) AS integer)";

/// Written before a column by which few rows are sorted. The planner, which does not know how many rows a
/// condition leaves, would otherwise read every row of the account in the order of an index.
pub(super) const UNINDEXED: &str = "+";

/// An id as a constant in a statement.
pub(super) fn uid_literal(id: RowId) -> String {
    format!("x'{}'", id.0.simple())
}

/// Runs a query that finds at most one row. The query owns its arguments and is run directly:
/// [`diesel_async::RunQueryDsl`] would generate its text at each execution, and copy each row with its column
/// names.
macro_rules! find {
    ($read:expr; $query:expr => $row:ty) => {{
        let query = $query;
        let find = move |connection: &mut diesel::SqliteConnection| {
            diesel::RunQueryDsl::get_result::<$row>(query, connection).optional()
        };
        $read.run(find).await
    }};
}
pub(super) use find;

/// Runs independent queries one after the other.
macro_rules! together {
    ($connection:expr; $($query:expr),+) => {{
        let connection: &mut $crate::dialect::Connection = $connection;
        async { QueryResult::Ok(($(
            diesel_async::RunQueryDsl::load($query, &mut *connection).await?
        ),+)) }
        .await
    }};
}
pub(super) use together;

/// Runs statements one after the other.
macro_rules! execute_together {
    ($connection:expr; $($statement:expr),+) => {{
        let connection: &mut $crate::dialect::Connection = $connection;
        async { QueryResult::Ok(($(
            diesel_async::RunQueryDsl::execute($statement, &mut *connection).await?
        ),+)) }
        .await
    }};
}
pub(super) use execute_together;

/// The elements of a JSON array of texts, as rows with the column `value`: append this, the array, and
/// [`JSON_TEXTS_END`].
pub(super) const JSON_TEXTS_BEGIN: &str = "json_each(";

/// See [`JSON_TEXTS_BEGIN`].
pub(super) const JSON_TEXTS_END: &str = ") AS one";

/// A query that would lock the rows it finds. The single writer needs no locks.
#[derive(Debug, Clone, Copy, QueryId)]
pub(super) struct Locked<Q>(pub(super) Q);

impl<Q: Query> Query for Locked<Q> {
    type SqlType = Q::SqlType;
}

impl<Q: QueryFragment<Sqlite>> QueryFragment<Sqlite> for Locked<Q> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }
}

/// See [`Locked`].
pub(super) use Locked as FullyLocked;

/// See [`Locked`].
pub(super) use Locked as KeyLocked;

/// Appended to a query that would lock its rows: the single writer needs no locks.
pub(super) const SKIP_LOCKED: &str = "";

/// See [`SKIP_LOCKED`].
pub(super) const SKIP_LOCKED_INVOICES: &str = "";

/// Inserts rows with one prepared statement.
pub(super) async fn insert_rows<T, R>(connection: &mut Connection, table: T, rows: Vec<R>) -> QueryResult<()>
where
    T: Table + Copy + Send + 'static,
    R: Insertable<T> + Send + 'static,
    InsertStatement<T, R::Values>: ExecuteDsl<SqliteConnection>,
{
    let insert = move |connection: &mut SqliteConnection| {
        for row in rows {
            diesel::RunQueryDsl::execute(diesel::insert_into(table).values(row), connection)?;
        }
        Ok(())
    };
    connection.spawn_blocking(insert).await
}

/// Does nothing: the single writer needs no locks.
pub(super) async fn lock_deliveries(
    _connection: &mut Connection,
    _batch: &str,
    _of_part: &str,
) -> QueryResult<()> {
    Ok(())
}

/// Always succeeds: the single writer needs no lock for a key, and `in_flight_keys` has the keys in use.
pub(super) fn push_try_lock<'b>(_name: &'b String, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
    out.push_sql("TRUE");
    Ok(())
}

/// The rows of [`json_value`]: the elements of the array in the first parameter. Materialized as binary JSON,
/// an element is parsed once, not once for each of its values.
pub(super) const JSON_ROWS: &str = "(WITH elements AS MATERIALIZED (SELECT jsonb(value) AS value FROM json_each($1)) \
                                    SELECT value FROM elements) AS one";

/// The value at an index of a JSON row.
pub(super) fn json_value(place: u32, kind: ValueType) -> String {
    let value = format!("(one.value ->> {place})");
    match kind {
        ValueType::Uid => format!("unhex({value})"),
        ValueType::Text | ValueType::Day | ValueType::Int | ValueType::Instant => value,
    }
}
