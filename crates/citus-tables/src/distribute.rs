//! Distributing tables over a cluster, including tables with rows.

use diesel::QueryResult;
use diesel::QueryableByName;
use diesel::sql_types::{Array, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};

use crate::placement;
use crate::tables::{FIRST, Placement, TABLES};

/// A foreign key, with its definition to recreate it.
#[derive(Debug, Clone, QueryableByName)]
pub(crate) struct ForeignKey {
    #[diesel(sql_type = Text)]
    from_table: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    definition: String,
}

/// The foreign keys of the tables, and those that refer to the tables.
const KEYS: &str = "SELECT f.relname::text AS from_table, k.conname::text AS name, pg_get_constraintdef(k.oid) AS definition \
    FROM pg_constraint AS k JOIN pg_class AS f ON f.oid = k.conrelid JOIN pg_class AS t ON t.oid = k.confrelid \
    WHERE k.contype = 'f' AND k.conparentid = 0 AND f.relnamespace = current_schema()::regnamespace \
    AND (f.relname = ANY ($1) OR t.relname = ANY ($1)) ORDER BY f.relname, k.conname";

/// The types in which a worker node returns the lines and payments of an invoice: a row without a named type
/// cannot be sent between servers.
const TYPES: [(&str, &str); 2] = [
    (
        "countinghouse_line",
        "position integer, id uuid, description text, quantity bigint, unit_amount bigint, tax_rate bigint, \
         tax_type text, tax_amount bigint, line_amount bigint",
    ),
    (
        "countinghouse_payment",
        "id uuid, amount bigint, received_at timestamptz, method text, reference text, recorded_by text",
    ),
];

#[derive(QueryableByName)]
struct NameRow {
    #[diesel(sql_type = Text)]
    name: String,
}

impl ForeignKey {
    /// The foreign keys of these tables, and those of other tables that refer to them.
    pub(crate) async fn of(connection: &mut AsyncPgConnection, tables: &[String]) -> QueryResult<Vec<Self>> {
        diesel::sql_query(KEYS).bind::<Array<Text>, _>(tables).load(connection).await
    }

    pub(crate) fn dropping(&self) -> String {
        format!("ALTER TABLE {} DROP CONSTRAINT {}", quoted(&self.from_table), quoted(&self.name))
    }

    pub(crate) fn adding(&self) -> String {
        let (table, name) = (quoted(&self.from_table), quoted(&self.name));
        format!("ALTER TABLE {table} ADD CONSTRAINT {name} {}", self.definition)
    }
}

/// Quotes a database identifier.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

pub(crate) async fn current_schema(connection: &mut AsyncPgConnection) -> QueryResult<String> {
    let query = diesel::sql_query("SELECT current_schema()::text AS name");
    Ok(query.get_result::<NameRow>(connection).await?.name)
}

/// Begins a transaction that distributes or changes tables.
pub(crate) async fn begin(connection: &mut AsyncPgConnection) -> QueryResult<()> {
    connection.batch_execute("BEGIN").await?;
    // Reference tables are changed over one connection to each server, so the tables that refer to them must
    // be too.
    connection.batch_execute("SET LOCAL citus.multi_shard_modify_mode = 'sequential'").await?;
    connection.batch_execute("SET LOCAL client_min_messages = 'warning'").await
}

/// Distributes the tables that are not distributed yet, in one transaction, which blocks writes to them.
pub(crate) async fn all(connection: &mut AsyncPgConnection) -> QueryResult<()> {
    begin(connection).await?;
    let there = placement::placed(connection).await?;
    let missing = TABLES
        .iter()
        .filter(|(name, placement)| there.iter().any(|table| table.name == *name && !table.is(*placement)));
    let missing: Vec<(&str, Placement)> = missing.copied().collect();
    let names: Vec<String> = missing.iter().map(|(name, _)| (*name).to_owned()).collect();
    let keys = if names.is_empty() { Vec::new() } else { ForeignKey::of(connection, &names).await? };
    for key in &keys {
        connection.batch_execute(&key.dropping()).await?;
    }
    for (name, placement) in &missing {
        place(connection, name, *placement).await?;
    }
    for key in &keys {
        connection.batch_execute(&key.adding()).await?;
    }
    make_types(connection).await?;
    connection.batch_execute("COMMIT").await
}

/// Distributes one table with its rows. Its foreign keys must have been dropped.
pub(crate) async fn place(
    connection: &mut AsyncPgConnection,
    name: &str,
    placement: Placement,
) -> QueryResult<()> {
    let beside = if name == FIRST { "none" } else { FIRST };
    let statement = match placement {
        Placement::Everywhere => format!("SELECT create_reference_table('{name}')"),
        Placement::ByAccount => {
            format!("SELECT create_distributed_table('{name}', 'account_id', colocate_with => '{beside}')")
        }
    };
    connection.batch_execute(&statement).await?;
    // Without this, the original rows stay on the coordinator, where nothing reads them.
    let emptied = format!("SELECT truncate_local_data_after_distributing_table('{name}')");
    connection.batch_execute(&emptied).await
}

async fn make_types(connection: &mut AsyncPgConnection) -> QueryResult<()> {
    for (name, columns) in TYPES {
        let found = diesel::sql_query("SELECT typname::text AS name FROM pg_type WHERE oid = to_regtype($1)");
        let found = found.bind::<Text, _>(name).load::<NameRow>(connection).await?;
        if found.is_empty() {
            connection.batch_execute(&format!("CREATE TYPE {name} AS ({columns})")).await?;
        }
    }
    Ok(())
}
