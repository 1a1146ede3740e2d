//! The coordinator's own copies of tables that are on every server.
//!
//! On each server, such a table is an ordinary table with its own name. Through the name that Citus shows, a
//! statement that joins two of them is planned twice at each execution; on the copies it is planned once. A
//! change of the table is committed on the coordinator before it is acknowledged, so the copies are current.

use diesel::dsl::{AsSelect, SqlTypeOf};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Binary, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use store_schema::rows::AccountScopeRow;
use store_schema::types::{RowId, Uid};
use store_schema::written_once::sql_text;

use super::queries::columns::columns_of;

const TABLES: [&str; 2] = ["account_keys", "accounts"];

/// The shards of the tables on this server. Group 0 is the coordinator.
const SHARDS: &str = "SELECT s.logicalrelid::regclass::text AS name, s.shardid AS shard \
    FROM pg_dist_shard AS s JOIN pg_dist_placement AS p ON p.shardid = s.shardid AND p.groupid = 0 \
    WHERE s.logicalrelid IN ('account_keys'::regclass, 'accounts'::regclass) AND p.shardstate = 1 ORDER BY 1";

/// The statement that finds an account by a key, on the copies.
pub(super) struct OwnCopies {
    text: String,
}

#[derive(QueryableByName)]
struct CopyRow {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = BigInt)]
    shard: i64,
}

type AccountScopeSql = (Uid, SqlTypeOf<AsSelect<AccountScopeRow, Pg>>);

impl OwnCopies {
    /// The copies of the connected server; `None` unless it is the coordinator and has them.
    pub(super) async fn of_this_server(connection: &mut AsyncPgConnection) -> QueryResult<Option<Self>> {
        let shards = diesel::sql_query(SHARDS).load::<CopyRow>(connection).await?;
        let copy = |table: &str| shards.iter().find(|row| row.name == table).map(|row| row.shard);
        let [Some(keys), Some(accounts)] = TABLES.map(copy) else {
            return Ok(None);
        };
        let columns = sql_text::<Pg>(&columns_of::<AccountScopeRow>())?;
        let text = format!(
            "SELECT account_keys.id, {columns} FROM account_keys_{keys} AS account_keys \
             JOIN accounts_{accounts} AS accounts ON accounts.id = account_keys.account_id \
             WHERE account_keys.revoked_at IS NULL AND account_keys.hash = "
        );
        Ok(Some(Self { text }))
    }

    /// The unrevoked key with this hash, and its account.
    pub(super) async fn account_key(
        &self,
        hash: &[u8],
        mut connection: &AsyncPgConnection,
    ) -> QueryResult<Option<(RowId, AccountScopeRow)>> {
        AccountKey { text: &self.text, hash }.get_result(&mut connection).await.optional()
    }
}

/// A statement whose text depends on the cluster.
struct AccountKey<'a> {
    text: &'a str,
    hash: &'a [u8],
}

impl QueryId for AccountKey<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for AccountKey<'_> {
    type SqlType = AccountScopeSql;
}

impl QueryFragment<Pg> for AccountKey<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(self.text);
        out.push_bind_param::<Binary, _>(self.hash)
    }
}
