//! What PostgreSQL says in its own way.

use deadpool::managed;
use diesel::QueryResult;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use futures_util::FutureExt;
use tokio::runtime::Handle;

use crate::bulk_rows::Kind as ValueKind;
use crate::hex;
use crate::holds::Hold;
use crate::ports::Kind;
use crate::rows::{LineItemRow, StoredResponseRow};
use crate::schema::line_items;
use crate::types::{Instant, RowId, RowInstant, Uid};

pub(super) use super::insert_invoice::insert_invoice;
pub(super) use super::insert_next::insert_next;
use super::pool::Object;

pub(super) type Db = Pg;
pub(super) type Connection = AsyncPgConnection;
pub(super) const KIND: Kind = Kind::Postgres;

/// The connection that was lent.
pub(super) fn connection(lent: &mut Object) -> Option<&mut Connection> {
    Some(lent)
}

/// The version of the database.
pub(super) const VERSION: &str = "current_setting('server_version')";

/// What the database's clock shows.
pub(super) const CLOCK: &str = "clock_timestamp()";

/// Whether a connection may be lent again while a statement of an earlier borrower is still running: answers come in the order of
/// the questions, and one that nobody waits for is thrown away.
pub(super) const OUTLIVES_ITS_BORROWER: bool = true;

/// Sends BEGIN and does not wait for its answer: the first statement follows on its heels, and costs no second round trip.
///
/// One poll is what sends it. Should BEGIN fail, the connection is gone, and so is the statement behind it.
pub(super) async fn begin(connection: &mut Connection) -> QueryResult<()> {
    send(connection, "BEGIN")
}

/// Begins to read at one moment; like [`begin`] it sends and does not wait.
pub(super) async fn begin_reading(connection: &mut Connection) -> QueryResult<()> {
    send(
        connection,
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    )
}

/// Ends reading, and does not wait for the answer either: there is nothing that a COMMIT of reads could refuse. Whoever borrows the
/// connection next speaks behind it.
pub(super) async fn end_reading(connection: &mut Connection) -> QueryResult<()> {
    send(connection, "COMMIT")
}

/// Commits, and keeps an answer ahead of it if there is one, in one message: should that fail, the COMMIT is not even tried. Also whether
/// the connection may go on to be used.
///
/// The message takes no parameters, and so the values are literals made of digits alone. What each connection prepares at its first answer is
/// neither parsed nor planned again. It outlives its transaction, and so it is not known to be there when the message that makes it fails.
///
/// The hold is the transaction's to end: should the COMMIT fail, there is something to roll back first.
pub(super) async fn commit(
    wire: &mut Object,
    answer: Option<StoredResponseRow>,
    _hold: &mut Option<Hold>,
) -> (QueryResult<()>, bool) {
    let Some(answer) = answer else {
        return (wire.batch_execute("COMMIT").await, true);
    };
    let prepare = if wire.keeps_answers { "" } else { PREPARE_KEEP };
    let message = format!(
        "{prepare}EXECUTE keep_answer ('{}'::uuid, {}, {}, {}, {}, {}); COMMIT",
        hex::text(answer.account_id.0.as_bytes()),
        text_literal(answer.endpoint),
        text_literal(&answer.key),
        bytes_literal(&answer.fingerprint),
        answer.status,
        bytes_literal(&answer.body),
    );
    let committed = wire.batch_execute(&message).await;
    wire.keeps_answers |= committed.is_ok();
    (committed, wire.keeps_answers)
}

/// Rolls back in the background, and only then lets go of the connection and of the hold. A connection that is in a statement is closed instead:
/// its roll-back would have to wait for the statement.
pub(super) fn roll_back(lent: Object, in_statement: bool, hold: Option<Hold>, runtime: &Handle) {
    if in_statement {
        return discard(lent);
    }
    let mut open = Open(Some(lent));
    runtime.spawn(async move {
        let Some(lent) = &mut open.0 else { return };
        if lent.batch_execute("ROLLBACK").await.is_ok() {
            drop(open.0.take());
        }
        drop(open);
        drop(hold);
    });
}

/// A connection with a transaction that is open until it is taken out. Should nobody come to that, nobody may have the connection either.
struct Open(Option<Object>);

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(lent) = self.0.take() {
            discard(lent);
        }
    }
}

/// Closes a connection that nobody should have after this one.
pub(super) fn discard(lent: Object) {
    drop(managed::Object::take(lent));
}

const PREPARE_KEEP: &str = "PREPARE keep_answer (uuid, text, text, bytea, integer, bytea) AS \
    INSERT INTO idempotency_keys (account_id, endpoint, key, fingerprint, status, body) VALUES ($1, $2, $3, $4, $5, $6); ";

/// One poll is what sends a statement; its answer is thrown away.
fn send(connection: &mut Connection, statement: &str) -> QueryResult<()> {
    match connection.batch_execute(statement).now_or_never() {
        Some(answered) => answered,
        None => Ok(()),
    }
}

/// Runs independent queries in one round trip.
macro_rules! together {
    ($connection:expr; $($query:expr),+) => {{
        let connection: &$crate::postgres::dialect::Connection = $connection;
        futures_util::try_join!($(async {
            let mut connection = connection;
            diesel_async::RunQueryDsl::load($query, &mut connection).await
        }),+)
    }};
}
pub(super) use together;

/// A query that locks the rows that it finds until the transaction ends, against changes but not against rows that refer to them.
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

/// Behind a query: holds what it finds, and leaves out what somebody else holds.
pub(super) const SKIP_LOCKED: &str = " FOR UPDATE SKIP LOCKED";

/// The same for a query on `invoices AS i` joined with other tables, which are not held.
pub(super) const SKIP_HELD_INVOICES: &str = " FOR NO KEY UPDATE OF i SKIP LOCKED";

/// Inserts lines, all in one statement.
pub(super) async fn insert_lines(
    connection: &mut Connection,
    lines: Vec<LineItemRow>,
) -> QueryResult<()> {
    diesel::insert_into(line_items::table)
        .values(&lines)
        .execute(connection)
        .await
        .map(|_count| ())
}

/// Moves invoices to a status, and to the next day on which the calendar looks at them.
pub(super) async fn move_invoices(
    connection: &mut Connection,
    status: &str,
    places: Vec<(RowId, RowId)>,
    now: RowInstant,
) -> QueryResult<()> {
    let (accounts, ids): (Vec<RowId>, Vec<RowId>) = places.into_iter().unzip();
    diesel::sql_query(
        "UPDATE invoices AS i SET status = $1, updated_at = $2, \
         status_changes_on = CASE WHEN $1 = 'UNPAID' THEN i.due_date + 1 END \
         FROM UNNEST($3, $4) AS moved (account_id, id) \
         WHERE i.account_id = moved.account_id AND i.id = moved.id",
    )
    .bind::<Text, _>(status)
    .bind::<Instant, _>(now)
    .bind::<Array<Uid>, _>(accounts)
    .bind::<Array<Uid>, _>(ids)
    .execute(connection)
    .await
    .map(|_count| ())
}

/// Holds the deliveries that a batch is about, in the batch's order: who holds some of the same ones waits, and nobody waits crosswise.
pub(super) async fn lock_deliveries(connection: &mut Connection, batch: &str) -> QueryResult<()> {
    let [account, event, id] = [0, 1, 2].map(|place| json_value(place, ValueKind::Uid));
    let held = diesel::sql_query(format!(
        "SELECT count(*) FROM (SELECT d.id FROM webhook_deliveries AS d JOIN {JSON_ROWS} \
         ON d.account_id = {account} AND d.event_id = {event} AND d.id = {id} \
         ORDER BY d.account_id, d.event_id, d.id FOR UPDATE OF d) AS held"
    ));
    let held = held.bind::<Text, _>(batch).execute(connection).await;
    held.map(|_count| ())
}

/// Tries to take the lock of this name until the transaction ends; the database's own hash makes it a number.
pub(super) fn push_try_hold<'b>(name: &'b String, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
    out.push_sql("pg_try_advisory_xact_lock(hashtextextended(");
    out.push_bind_param::<Text, _>(name)?;
    out.push_sql(", 0))");
    Ok(())
}

fn bytes_literal(bytes: &[u8]) -> String {
    format!("decode('{}', 'hex')", hex::text(bytes))
}

fn text_literal(text: &str) -> String {
    let bytes = bytes_literal(text.as_bytes());
    format!("convert_from({bytes}, 'UTF8')")
}

/// Where [`json_value`] finds its rows: the elements of the array that is the first parameter.
pub(super) const JSON_ROWS: &str = "jsonb_array_elements($1::jsonb) AS one(value)";

/// The value at a place of a JSON row.
pub(super) fn json_value(place: u32, kind: ValueKind) -> String {
    let text = format!("(one.value ->> {place})");
    match kind {
        ValueKind::Text => text,
        ValueKind::Uid => format!("{text}::uuid"),
        ValueKind::Day => format!("{text}::date"),
        ValueKind::Int => format!("{text}::bigint"),
        ValueKind::Bool => format!("{text}::integer::boolean"),
        ValueKind::Bytes => format!("decode({text}, 'hex')"),
        // Exact: a division would go through a float.
        ValueKind::Instant => {
            format!("timestamptz 'epoch' + {text}::bigint * interval '1 microsecond'")
        }
    }
}
