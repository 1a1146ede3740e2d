//! SQL of SQLite where the two databases differ.

use diesel::prelude::*;
use diesel::query_builder::{AstPass, InsertStatement, Query, QueryFragment, QueryId};
use diesel::query_dsl::methods::ExecuteDsl;
use diesel::sqlite::Sqlite;
use store_schema::json_rows::Kind as ValueKind;
use store_schema::ports::Kind;

pub(super) use sqlite_writer::Connection;

pub(super) type Db = Sqlite;
pub(super) const KIND: Kind = Kind::Sqlite;

/// The version of the database.
pub(super) const VERSION: &str = "sqlite_version()";

/// The function that makes a JSON object of names and values.
pub(super) const JSON_OBJECT: &str = "json_object";

/// What was understood of a message, without the words of it that decided.
pub(super) const WITHOUT_EVIDENCE: &str = "json_set(understood, '$.evidence', '')";

/// What the database's clock shows.
pub(super) const CLOCK: &str = "CAST(round(unixepoch('subsec') * 1000000) AS integer)";

/// Runs a query that finds at most one row. It owns its arguments and is run as it is: through
/// [`diesel_async::RunQueryDsl`] its text would be written anew each time, and each row copied with the names
/// of its columns.
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

/// The elements of a JSON array of texts, as rows with the column `value`: this, the array, and
/// [`JSON_TEXTS_END`].
pub(super) const JSON_TEXTS_BEGIN: &str = "json_each(";

/// See [`JSON_TEXTS_BEGIN`].
pub(super) const JSON_TEXTS_END: &str = ") AS one";

/// A query that locks the rows that it finds. The single writer needs no locks.
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

/// Behind a query that locks what it finds: the single writer needs no locks.
pub(super) const SKIP_LOCKED: &str = "";

/// The same.
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

/// The single writer needs no locks.
pub(super) async fn lock_deliveries(
    _connection: &mut Connection,
    _batch: &str,
    _of_part: &str,
) -> QueryResult<()> {
    Ok(())
}

/// The single writer needs no lock for a key: `in_flight_keys` knows those that are being worked on.
pub(super) fn push_try_hold<'b>(_name: &'b String, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
    out.push_sql("TRUE");
    Ok(())
}

/// Where [`json_value`] finds its rows: the elements of the array that is the first parameter. Materialised
/// as binary JSON, an element is parsed once rather than for each of its values.
pub(super) const JSON_ROWS: &str = "(WITH elements AS MATERIALIZED (SELECT jsonb(value) AS value FROM json_each($1)) \
                                    SELECT value FROM elements) AS one";

/// The value at a place of a JSON row.
pub(super) fn json_value(place: u32, kind: ValueKind) -> String {
    let value = format!("(one.value ->> {place})");
    match kind {
        ValueKind::Uid => format!("unhex({value})"),
        ValueKind::Text | ValueKind::Day | ValueKind::Int | ValueKind::Instant => value,
    }
}
