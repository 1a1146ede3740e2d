//! Reads the database directly, past the service.

use anyhow::Context;
use diesel::sql_types::Text;
use diesel::{Connection as _, QueryableByName, RunQueryDsl as _, SqliteConnection};

use crate::fixtures::cluster::Cluster;
use crate::fixtures::database_kind::Kind;

/// A way to read lines of text out of either database.
pub(super) enum DatabaseReader<'a> {
    Postgres(&'a Cluster),
    /// With the file's path.
    Sqlite(&'a str),
}

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

impl DatabaseReader<'_> {
    const fn kind(&self) -> Kind {
        match self {
            Self::Postgres(_) => Kind::Postgres,
            Self::Sqlite(_) => Kind::Sqlite,
        }
    }

    /// An id as text, 32 digits, in an expression of SQL.
    pub(super) fn id(&self, column: &str) -> String {
        match self.kind() {
            Kind::Postgres => format!("replace({column}::text, '-', '')"),
            Kind::Sqlite => format!("lower(hex({column}))"),
        }
    }

    /// The beginning of a column of bytes as text, in an expression of SQL.
    pub(super) fn beginning(&self, column: &str, length: usize) -> String {
        match self.kind() {
            Kind::Postgres => format!("convert_from(substr({column}, 1, {length}), 'LATIN1')"),
            Kind::Sqlite => format!("CAST(substr({column}, 1, {length}) AS text)"),
        }
    }

    /// Runs a query whose one column is text.
    pub(super) fn lines(&self, columns: &str, from: &str) -> anyhow::Result<Vec<String>> {
        let query = format!("SELECT {columns} AS line FROM {from}");
        match self {
            Self::Postgres(cluster) => {
                let printed = cluster.sql(&query)?;
                let lines = printed.lines().filter(|line| !line.is_empty());
                Ok(lines.map(str::to_owned).collect())
            }
            Self::Sqlite(path) => {
                let mut connection = SqliteConnection::establish(path)?;
                diesel::sql_query("PRAGMA busy_timeout = 30000").execute(&mut connection)?;
                let lines: Vec<Line> = diesel::sql_query(query).load(&mut connection)?;
                Ok(lines.into_iter().map(|line| line.line).collect())
            }
        }
    }

    /// The one number that a query returns.
    pub(super) fn count(&self, from: &str) -> anyhow::Result<usize> {
        let lines = self.lines("CAST(count(*) AS text)", from)?;
        let count = lines.first().context("a count is a line")?;
        Ok(count.parse()?)
    }
}
