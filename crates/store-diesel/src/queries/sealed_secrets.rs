//! Sealed secrets, for a change of the master key.

use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary};
use kernel::{AccountId, Operator, StoreError, StoreResult};
use store_schema::rows::SecretRow;
use store_schema::schema::webhook_endpoints as table;
use store_schema::types::{RowId, Uid};
use uuid::Uuid;
use webhooks::{EndpointId, SealedSecret, SealedSecrets};

use super::database::Database;
use super::purpose::Purpose;
use super::run_statements::RunStatements as _;
use super::transaction::Transaction;

#[async_trait]
impl SealedSecrets for Database {
    async fn sealed_under_other_keys(
        &self,
        _operator: Operator,
        key_prefix: &[u8],
        after: Option<(AccountId, EndpointId)>,
        limit: u32,
    ) -> StoreResult<Vec<(AccountId, EndpointId, SealedSecret)>> {
        let nowhere = (RowId(Uuid::nil()), RowId(Uuid::nil()));
        let (account, id) = after.map_or(nowhere, |(account, id)| (account.into(), id.into()));
        let query = format!(
            "SELECT account_id, id, secret FROM webhook_endpoints \
             WHERE (account_id, id) > ($1, $2) AND secret IS NOT NULL AND substr(secret, 1, {}) <> $3 \
             ORDER BY account_id, id LIMIT $4",
            key_prefix.len(),
        );
        let mut connection = self.pool.read_shared().await?;
        let statement = diesel::sql_query(query)
            .bind::<Uid, _>(account)
            .bind::<Uid, _>(id)
            .bind::<Binary, _>(key_prefix)
            .bind::<BigInt, _>(i64::from(limit));
        let rows: Vec<SecretRow> = connection.fetch_all(statement).await?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    async fn replace(
        &self,
        _operator: Operator,
        secrets: &[(AccountId, EndpointId, SealedSecret, SealedSecret)],
    ) -> StoreResult<u64> {
        let mut tx = Transaction::new(self.pool.clone(), Purpose::Command);
        let mut replaced = 0_u64;
        for (account, endpoint, old, new) in secrets {
            let own = table::table.find((RowId::from(*account), RowId::from(*endpoint)));
            let statement =
                diesel::update(own).filter(table::secret.eq(&old.0)).set(table::secret.eq(&new.0));
            let written = tx.execute(statement).await?;
            let written = u64::try_from(written);
            let written = written.map_err(|source| StoreError::Failed(source.into()))?;
            replaced = replaced.saturating_add(written);
        }
        tx.commit().await?;
        Ok(replaced)
    }
}
