//! When keys were last used.

use access::{KeyUse, KeyUseStore};
use async_trait::async_trait;
use diesel::sql_types::Text;
use kernel::StoreResult;
use store_schema::json_rows::{ValueType, json_rows};
use store_schema::types::{RowId, RowInstant};

use super::database::Database;
use super::run_statements::RunStatements as _;
use crate::dialect::{JSON_ROWS, json_value};

#[async_trait]
impl KeyUseStore for Database {
    async fn record_uses(&self, uses: &[KeyUse]) -> StoreResult<()> {
        if uses.is_empty() {
            return Ok(());
        }
        let rows =
            uses.iter().map(|one| (RowId::from(one.account), RowId::from(one.key), RowInstant(one.at)));
        let rows = json_rows(rows)?;
        let [account, key] = [0, 1].map(|place| json_value(place, ValueType::Uid));
        let at = json_value(2, ValueType::Instant);
        let statement = format!(
            "UPDATE account_keys AS k SET last_used_at = {at} FROM {JSON_ROWS} \
             WHERE k.account_id = {account} AND k.id = {key} \
             AND (k.last_used_at IS NULL OR k.last_used_at < {at})"
        );
        let mut connection = self.pool.write().await?;
        connection.execute(diesel::sql_query(statement).bind::<Text, _>(rows)).await?;
        Ok(())
    }
}
