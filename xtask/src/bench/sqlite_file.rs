//! The file of the embedded database, opened beside the service.

use diesel::connection::SimpleConnection as _;
use diesel::sql_types::Text;
use diesel::{Connection as _, QueryableByName, RunQueryDsl as _, SqliteConnection};

/// Opens a connection with the same pragmas as the service.
pub(super) fn connect(file: &str) -> anyhow::Result<SqliteConnection> {
    let mut connection = SqliteConnection::establish(file)?;
    connection.batch_execute(
        "PRAGMA busy_timeout = 30000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
         PRAGMA temp_store = MEMORY; PRAGMA cache_size = -2048;",
    )?;
    Ok(connection)
}

/// Runs statements that return nothing.
pub(super) fn run(file: &str, statements: &str) -> anyhow::Result<()> {
    Ok(connect(file)?.batch_execute(statements)?)
}

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

/// Runs a statement whose rows have one text column, `line`.
pub(super) fn lines(file: &str, statement: &str) -> anyhow::Result<Vec<String>> {
    let rows = diesel::sql_query(statement).load::<Line>(&mut connect(file)?)?;
    Ok(rows.into_iter().map(|row| row.line).collect())
}
