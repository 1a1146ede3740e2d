//! Removing rows that are no longer needed, a limited number at a time.

use diesel::sql_types::BigInt;
use kernel::{StoreError, StoreResult};
use store_schema::types::{Instant, RowInstant};
use time::OffsetDateTime;

use super::partitions::{self, AccountPartition, WorkSearch};
use super::run_statements::RunStatements as _;
use crate::dialect;
use crate::pool::Pool;

/// A kind of rows that are removed once they are old.
pub(super) struct Old<'a> {
    pub(super) table: &'a str,
    /// The columns of the primary key.
    pub(super) key: &'a str,
    /// The condition that old rows meet. `$1` in it is the instant before which a row is old.
    pub(super) condition: &'a str,
    /// The column by which the oldest are removed first.
    pub(super) order: &'a str,
}

impl Old<'_> {
    /// Removes at most `limit` rows and skips rows that another transaction has locked. Returns how many were
    /// removed.
    pub(super) async fn remove(&self, pool: &Pool, before: OffsetDateTime, limit: u32) -> StoreResult<u64> {
        let (now, mut removed) = (RowInstant(before), 0_u64);
        let work = WorkSearch { table: self.table, condition: self.condition, order: self.order, now, limit };
        for partition in partitions::with_work(pool, &work).await? {
            let left = u64::from(limit).saturating_sub(removed);
            if left > 0 {
                let partition = self.remove_partition(pool, partition, now, left).await?;
                removed = removed.saturating_add(partition);
            }
        }
        Ok(removed)
    }

    async fn remove_partition(
        &self,
        pool: &Pool,
        partition: AccountPartition,
        before: RowInstant,
        limit: u64,
    ) -> StoreResult<u64> {
        let Self { table, key, condition, order } = self;
        let (skip_locked, in_partition) = (dialect::SKIP_LOCKED, partition.condition("account_id"));
        let statement = format!(
            "WITH old AS MATERIALIZED (SELECT {key} FROM {table} WHERE {condition}{in_partition} \
             ORDER BY {order} LIMIT $2{skip_locked}) \
             DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM old){in_partition}"
        );
        let mut connection = pool.write().await?;
        let query = diesel::sql_query(statement)
            .bind::<Instant, _>(before)
            .bind::<BigInt, _>(i64::try_from(limit).unwrap_or(i64::MAX));
        let removed = connection.execute(query).await?;
        let removed = u64::try_from(removed);
        removed.map_err(|source| StoreError::Failed(source.into()))
    }
}
