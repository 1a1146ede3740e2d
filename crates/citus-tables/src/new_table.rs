//! Creates a new table on a cluster whose tables are already distributed.
//!
//! A table cannot refer to distributed tables before it is distributed itself. So it is first created in a
//! temporary schema, beside empty tables with the names of the real ones, where PostgreSQL reports its
//! foreign keys. They are added after the table is distributed.

use diesel::QueryResult;
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};

use crate::distribute::{self, ForeignKey, quoted};
use crate::placement;

/// The temporary schema, which exists only inside the transaction.
const TEMPORARY_SCHEMA: &str = "countinghouse_rehearsal";

/// Creates a table without its foreign keys, and returns them.
pub(crate) async fn create(
    connection: &mut AsyncPgConnection,
    name: &str,
    statement: &str,
) -> QueryResult<Vec<ForeignKey>> {
    let schema = distribute::current_schema(connection).await?;
    connection.batch_execute("SET LOCAL citus.enable_ddl_propagation = off").await?;
    connection.batch_execute(&format!("CREATE SCHEMA {TEMPORARY_SCHEMA}")).await?;
    for table in placement::placed(connection).await? {
        let (table, schema) = (quoted(&table.name), quoted(&schema));
        let like =
            format!("CREATE TABLE {TEMPORARY_SCHEMA}.{table} (LIKE {schema}.{table} INCLUDING INDEXES)");
        connection.batch_execute(&like).await?;
    }
    connection.batch_execute(&format!("SET LOCAL search_path = {TEMPORARY_SCHEMA}")).await?;
    connection.batch_execute(statement).await?;
    let keys = ForeignKey::of(connection, &[name.to_owned()]).await?;
    for key in &keys {
        connection.batch_execute(&key.dropping()).await?;
    }
    let found = format!("ALTER TABLE {} SET SCHEMA {}", quoted(name), quoted(&schema));
    connection.batch_execute(&found).await?;
    connection.batch_execute(&format!("SET LOCAL search_path = {}", quoted(&schema))).await?;
    connection.batch_execute(&format!("DROP SCHEMA {TEMPORARY_SCHEMA} CASCADE")).await?;
    connection.batch_execute("SET LOCAL citus.enable_ddl_propagation = on").await?;
    Ok(keys)
}
