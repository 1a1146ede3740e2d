//! SQL and functions of PostgreSQL where SQLite's differ. `dialect.rs` of `store-sqlite` has the same items.

use diesel::pg::Pg;
use diesel::query_builder::{AstPass, InsertStatement, Query, QueryFragment, QueryId};
use diesel::sql_types::Text;
use diesel::{Insertable, QueryResult, Table};
use diesel_async::methods::ExecuteDsl;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use store_schema::json_rows::ValueType;
use store_schema::ports::DatabaseKind;
use store_schema::types::RowId;

pub(super) type Db = Pg;
pub(super) type Connection = AsyncPgConnection;
pub(super) const KIND: DatabaseKind = DatabaseKind::Postgres;

/// The expression for the database's version.
pub(super) const VERSION: &str = "current_setting('server_version')";

/// The expression for the language of the database's messages.
pub(super) const MESSAGE_LANGUAGE: &str = "current_setting('lc_messages')";

/// The expression for the names of settings that are off although commits are not durable without them.
pub(super) const UNSAFE_SETTINGS: &str = "concat_ws(', ', \
    CASE WHEN current_setting('fsync') = 'off' THEN 'fsync' END, \
    CASE WHEN current_setting('full_page_writes') = 'off' THEN 'full_page_writes' END, \
    CASE WHEN current_setting('synchronous_commit') = 'off' THEN 'synchronous_commit' END)";

/// The function that builds a JSON object from names and values.
pub(super) const JSON_OBJECT: &str = "json_build_object";

/// The interpretation of a message, with the quoted evidence removed.
pub(super) const WITHOUT_EVIDENCE: &str = "jsonb_set(understood::jsonb, '{evidence}', '\"\"')::text";

/// The position of bytes in a body, 0 if it does not contain them: append the parameter and
/// [`POSITION_IN_BODY_END`].
pub(super) const POSITION_IN_BODY_BEGIN: &str = "position(";

/// See [`POSITION_IN_BODY_BEGIN`].
pub(super) const POSITION_IN_BODY_END: &str = " IN body)";

/// The expression for the database's current time.
pub(super) const CLOCK: &str = "clock_timestamp()";

/// Written before a column by which few rows are sorted. The planner knows about how many rows there are.
pub(super) const UNINDEXED: &str = "";

/// An id as a constant in a statement.
pub(super) fn uid_literal(id: RowId) -> String {
    format!("'{}'", id.0.hyphenated())
}

/// Runs a query that finds at most one row.
macro_rules! find {
    ($read:expr; $query:expr => $row:ty) => {{
        let found = diesel_async::RunQueryDsl::get_result::<$row>($query, &mut $read.conn()?).await;
        $read.settle(found.optional())
    }};
}
pub(super) use find;

/// Runs independent queries in one round trip.
macro_rules! together {
    ($connection:expr; $($query:expr),+) => {{
        let connection: &$crate::dialect::Connection = $connection;
        futures_util::try_join!($(async {
            let mut connection = connection;
            diesel_async::RunQueryDsl::load($query, &mut connection).await
        }),+)
    }};
}
pub(super) use together;

/// Runs statements in order, in one round trip.
macro_rules! execute_together {
    ($connection:expr; $($statement:expr),+) => {{
        let connection: &$crate::dialect::Connection = $connection;
        futures_util::try_join!($(async {
            let mut connection = connection;
            diesel_async::RunQueryDsl::execute($statement, &mut connection).await
        }),+)
    }};
}
pub(super) use execute_together;

/// The elements of a JSON array of texts, as rows with the column `value`: append this, the array, and
/// [`JSON_TEXTS_END`].
pub(super) const JSON_TEXTS_BEGIN: &str = "jsonb_array_elements_text(";

/// See [`JSON_TEXTS_BEGIN`].
pub(super) const JSON_TEXTS_END: &str = "::jsonb) AS one(value)";

/// A query that locks the rows it finds until the transaction ends. Rows that refer to them can still be
/// inserted.
#[derive(Debug, Clone, Copy, QueryId)]
pub(super) struct Locked<Q>(pub(super) Q);

impl<Q: Query> Query for Locked<Q> {
    type SqlType = Q::SqlType;
}

impl<Q: QueryFragment<Pg>> QueryFragment<Pg> for Locked<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.0.walk_ast(out.reborrow())?;
        out.push_sql(" FOR NO KEY UPDATE");
        Ok(())
    }
}

/// Locks the rows as [`Locked`] does, and also keeps rows that refer to them from being inserted, and
/// [`KeyLocked`] from finding them.
#[derive(Debug, Clone, Copy, QueryId)]
pub(super) struct FullyLocked<Q>(pub(super) Q);

impl<Q: Query> Query for FullyLocked<Q> {
    type SqlType = Q::SqlType;
}

impl<Q: QueryFragment<Pg>> QueryFragment<Pg> for FullyLocked<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.0.walk_ast(out.reborrow())?;
        out.push_sql(" FOR UPDATE");
        Ok(())
    }
}

/// A query that keeps the rows it finds from being removed, and their unique values from being changed, until
/// the transaction ends: the lock that a row which refers to them takes. Several transactions can hold it.
#[derive(Debug, Clone, Copy, QueryId)]
pub(super) struct KeyLocked<Q>(pub(super) Q);

impl<Q: Query> Query for KeyLocked<Q> {
    type SqlType = Q::SqlType;
}

impl<Q: QueryFragment<Pg>> QueryFragment<Pg> for KeyLocked<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.0.walk_ast(out.reborrow())?;
        out.push_sql(" FOR KEY SHARE");
        Ok(())
    }
}

/// Appended to a query: locks the rows it finds, and skips locked ones.
pub(super) const SKIP_LOCKED: &str = " FOR UPDATE SKIP LOCKED";

/// The same for a query on `invoices AS i` that is joined with other tables, whose rows are not locked.
pub(super) const SKIP_LOCKED_INVOICES: &str = " FOR NO KEY UPDATE OF i SKIP LOCKED";

/// How many rows one statement inserts. A statement has at most 65,535 parameters, and every table fewer than
/// 60 columns.
const BATCH: usize = 1_000;

/// Inserts rows in as few statements as possible.
pub(super) async fn insert_rows<T, R>(connection: &mut Connection, table: T, rows: Vec<R>) -> QueryResult<()>
where
    T: Table + Copy,
    Vec<R>: Insertable<T>,
    InsertStatement<T, <Vec<R> as Insertable<T>>::Values>: ExecuteDsl<Connection>,
{
    let mut rows = rows.into_iter();
    loop {
        let batch: Vec<R> = rows.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            return Ok(());
        }
        diesel::insert_into(table).values(batch).execute(connection).await?;
    }
}

/// Locks the deliveries of a batch, in the same order in all transactions, so that they cannot deadlock.
/// `in_partition` limits the statement to those of one account.
pub(super) async fn lock_deliveries(
    connection: &mut Connection,
    batch: &str,
    in_partition: &str,
) -> QueryResult<()> {
    let [account, event, id] = [0, 1, 2].map(|index| json_value(index, ValueType::Uid));
    let locked = diesel::sql_query(format!(
        "SELECT count(*) FROM (SELECT d.id FROM webhook_deliveries AS d JOIN {JSON_ROWS} \
         ON d.account_id = {account} AND d.event_id = {event} AND d.id = {id}{in_partition} \
         ORDER BY d.account_id, d.event_id, d.id FOR UPDATE OF d) AS locked"
    ));
    let locked = locked.bind::<Text, _>(batch).execute(connection).await;
    locked.map(|_count| ())
}

/// Tries to take the advisory lock of this name until the transaction ends. The database hashes the name to a
/// number.
pub(super) fn push_try_lock<'b>(name: &'b String, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
    out.push_sql("pg_try_advisory_xact_lock(hashtextextended(");
    out.push_bind_param::<Text, _>(name)?;
    out.push_sql(", 0))");
    Ok(())
}

/// The rows of [`json_value`]: the elements of the array in the first parameter.
pub(super) const JSON_ROWS: &str = "jsonb_array_elements($1::jsonb) AS one(value)";

/// The value at an index of a JSON row.
pub(super) fn json_value(index: u32, kind: ValueType) -> String {
    let text = format!("(one.value ->> {index})");
    match kind {
        ValueType::Text => text,
        ValueType::Uid => format!("{text}::uuid"),
        ValueType::Day => format!("{text}::date"),
        ValueType::Int => format!("{text}::bigint"),
        // Exact, unlike a division, which uses a float.
        ValueType::Instant => {
            // A `timestamp` without time zone until the end: so the sum depends on no setting, as a cluster
            // requires.
            format!("(timestamp 'epoch' + {text}::bigint * interval '1 microsecond') AT TIME ZONE 'UTC'")
        }
    }
}
