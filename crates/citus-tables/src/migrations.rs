//! Migrations on a cluster.
//!
//! While nothing is distributed, migrations are applied as on one server, and the tables are distributed
//! afterwards. Later migrations are applied statement by statement: a cluster accepts one statement in each
//! message, and a new table must be distributed before it refers to other tables.

use diesel::QueryResult;
use diesel::QueryableByName;
use diesel::result::{DatabaseErrorKind, Error};
use diesel::sql_types::Text;
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};

use crate::placement::{self, PlacedTable};
use crate::statements::{apart, created_table, split};
use crate::tables::TABLES;
use crate::{distribute, new_table};

/// A migration.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// Its folder's name, which begins with the version and `_`.
    pub name: &'static str,
    /// The script that applies it.
    pub up: &'static str,
    /// The script that reverts it.
    pub down: &'static str,
}

/// The table that diesel creates before its first migration.
const HISTORY: &str = "CREATE TABLE IF NOT EXISTS __diesel_schema_migrations \
    (version VARCHAR(50) PRIMARY KEY NOT NULL, run_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)";

#[derive(QueryableByName)]
struct Applied {
    #[diesel(sql_type = Text)]
    version: String,
}

impl Migration {
    fn version(&self) -> &str {
        self.name.split('_').next().unwrap_or(self.name)
    }
}

/// Applies the pending ones of `migrations`, which must be complete and in order, and distributes the tables
/// that are not distributed.
///
/// # Errors
/// When the database lacks the extension `citus`, or refuses a statement. Migrations applied before the error
/// stay applied.
pub async fn up(connection: &mut AsyncPgConnection, migrations: &[Migration]) -> QueryResult<()> {
    if !placement::has_citus(connection).await? {
        return Err(refused(
            "the database does not have the extension citus: an administrator runs CREATE EXTENSION citus in it, on \
             every server, and adds the worker nodes",
        ));
    }
    connection.batch_execute("SET client_min_messages = 'warning'").await?;
    connection.batch_execute(HISTORY).await?;
    let applied = applied(connection).await?;
    let is_distributed = placement::placed(connection).await?.iter().any(PlacedTable::is_placed);
    let is_pending = |migration: &&Migration| !applied.iter().any(|one| one == migration.version());
    for migration in migrations.iter().filter(is_pending) {
        distribute::begin(connection).await?;
        apply(connection, migration.up, is_distributed).await?;
        let noted = diesel::sql_query("INSERT INTO __diesel_schema_migrations (version) VALUES ($1)");
        noted.bind::<Text, _>(migration.version()).execute(connection).await?;
        connection.batch_execute("COMMIT").await?;
    }
    distribute::all(connection).await
}

/// Reverts the last applied migration.
///
/// # Errors
/// When that migration is not in `migrations`, or the database refuses a statement.
pub async fn down(connection: &mut AsyncPgConnection, migrations: &[Migration]) -> QueryResult<()> {
    connection.batch_execute(HISTORY).await?;
    let Some(last) = applied(connection).await?.pop() else {
        return Ok(());
    };
    let migration = migrations.iter().find(|migration| migration.version() == last);
    let migration = migration.ok_or_else(|| refused("the last migration was applied by a newer version"))?;
    distribute::begin(connection).await?;
    apply(connection, migration.down, true).await?;
    let noted = diesel::sql_query("DELETE FROM __diesel_schema_migrations WHERE version = $1");
    noted.bind::<Text, _>(last).execute(connection).await?;
    connection.batch_execute("COMMIT").await
}

async fn applied(connection: &mut AsyncPgConnection) -> QueryResult<Vec<String>> {
    let query =
        diesel::sql_query("SELECT version::text AS version FROM __diesel_schema_migrations ORDER BY version");
    let applied: Vec<Applied> = query.load(connection).await?;
    Ok(applied.into_iter().map(|one| one.version).collect())
}

async fn apply(connection: &mut AsyncPgConnection, script: &str, is_distributed: bool) -> QueryResult<()> {
    for statement in split(script) {
        match created_table(&statement) {
            Some(table) if is_distributed => create(connection, table, &statement).await?,
            _ if is_distributed => {
                for one in apart(&statement) {
                    connection.batch_execute(&one).await?;
                }
            }
            _ => connection.batch_execute(&statement).await?,
        }
    }
    Ok(())
}

/// Creates a table and distributes it before its foreign keys are added.
async fn create(connection: &mut AsyncPgConnection, table: &str, statement: &str) -> QueryResult<()> {
    let keys = new_table::create(connection, table, statement).await?;
    // A table that is not listed was dropped by a later migration.
    if let Some((name, placement)) = TABLES.iter().find(|(name, _)| *name == table) {
        distribute::place(connection, name, *placement).await?;
    }
    for key in keys {
        connection.batch_execute(&key.adding()).await?;
    }
    Ok(())
}

fn refused(why: &str) -> Error {
    Error::DatabaseError(DatabaseErrorKind::Unknown, Box::new(why.to_owned()))
}
