//! A new table on a cluster whose tables are distributed already.
//!
//! A table cannot refer to distributed ones before it is distributed itself. So it is made in a schema of its
//! own first, beside empty tables of the same names; there PostgreSQL says which foreign keys it has. They
//! are added when the table is distributed.

use diesel::QueryResult;
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};

use crate::distribute::{self, ForeignKey, quoted};
use crate::placement;

/// The schema, which is there only inside the transaction.
const ASIDE: &str = "countinghouse_rehearsal";

/// Makes a table and returns its foreign keys, which are left out.
pub(crate) async fn create_table(
    connection: &mut AsyncPgConnection,
    name: &str,
    statement: &str,
) -> QueryResult<Vec<ForeignKey>> {
    let schema = distribute::current_schema(connection).await?;
    connection.batch_execute("SET LOCAL citus.enable_ddl_propagation = off").await?;
    connection.batch_execute(&format!("CREATE SCHEMA {ASIDE}")).await?;
    for table in placement::placed(connection).await? {
        let (table, schema) = (quoted(&table.name), quoted(&schema));
        let like = format!("CREATE TABLE {ASIDE}.{table} (LIKE {schema}.{table} INCLUDING INDEXES)");
        connection.batch_execute(&like).await?;
    }
    connection.batch_execute(&format!("SET LOCAL search_path = {ASIDE}")).await?;
    connection.batch_execute(statement).await?;
    let keys = ForeignKey::of(connection, &[name.to_owned()]).await?;
    for key in &keys {
        connection.batch_execute(&key.dropping()).await?;
    }
    let found = format!("ALTER TABLE {} SET SCHEMA {}", quoted(name), quoted(&schema));
    connection.batch_execute(&found).await?;
    connection.batch_execute(&format!("SET LOCAL search_path = {}", quoted(&schema))).await?;
    connection.batch_execute(&format!("DROP SCHEMA {ASIDE} CASCADE")).await?;
    connection.batch_execute("SET LOCAL citus.enable_ddl_propagation = on").await?;
    Ok(keys)
}
