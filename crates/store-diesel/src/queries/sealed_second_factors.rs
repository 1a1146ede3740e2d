//! Sealed secrets of second factors, for a change of the master key.

use ::sessions::{SealedLogin, SealedSecondFactors, SealedTotpSecret};
use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Binary, Nullable};
use kernel::{AccountId, Operator, StoreResult};
use store_schema::types::{RowId, Uid};
use uuid::Uuid;

use super::database::Database;
use super::run_statements::RunStatements as _;

#[derive(QueryableByName)]
struct SealedRow {
    #[diesel(sql_type = Uid)]
    account_id: RowId,
    #[diesel(sql_type = Nullable<Binary>)]
    totp_secret: Option<Vec<u8>>,
    #[diesel(sql_type = Nullable<Binary>)]
    totp_proposed: Option<Vec<u8>>,
}

#[async_trait]
impl SealedSecondFactors for Database {
    async fn sealed_under_other_keys(
        &self,
        _operator: Operator,
        key_prefix: &[u8],
        after: Option<AccountId>,
        limit: u32,
    ) -> StoreResult<Vec<SealedLogin>> {
        let after = after.map_or(RowId(Uuid::nil()), RowId::from);
        let length = key_prefix.len();
        let query = format!(
            "SELECT account_id, totp_secret, totp_proposed FROM logins \
             WHERE account_id > $1 AND (substr(totp_secret, 1, {length}) <> $2 \
             OR substr(totp_proposed, 1, {length}) <> $2) ORDER BY account_id LIMIT $3"
        );
        let mut connection = self.pool.read_shared().await?;
        let statement = diesel::sql_query(query)
            .bind::<Uid, _>(after)
            .bind::<Binary, _>(key_prefix)
            .bind::<BigInt, _>(i64::from(limit));
        let rows: Vec<SealedRow> = connection.fetch_all(statement).await?;
        let sealed = |row: SealedRow| SealedLogin {
            account: row.account_id.id(),
            secret: row.totp_secret.map(SealedTotpSecret),
            proposed: row.totp_proposed.map(SealedTotpSecret),
        };
        Ok(rows.into_iter().map(sealed).collect())
    }

    async fn replace(&self, _operator: Operator, old: &SealedLogin, new: &SealedLogin) -> StoreResult<bool> {
        let bytes = |secret: &Option<SealedTotpSecret>| secret.as_ref().map(|secret| secret.0.clone());
        let mut connection = self.pool.write().await?;
        let statement = diesel::sql_query(
            "UPDATE logins SET totp_secret = $1, totp_proposed = $2 WHERE account_id = $3 AND id = $3 \
             AND totp_secret IS NOT DISTINCT FROM $4 AND totp_proposed IS NOT DISTINCT FROM $5",
        )
        .bind::<Nullable<Binary>, _>(bytes(&new.secret))
        .bind::<Nullable<Binary>, _>(bytes(&new.proposed))
        .bind::<Uid, _>(RowId::from(old.account))
        .bind::<Nullable<Binary>, _>(bytes(&old.secret))
        .bind::<Nullable<Binary>, _>(bytes(&old.proposed));
        let written = connection.execute(statement).await?;
        Ok(written > 0)
    }
}
