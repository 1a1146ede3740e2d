//! Removing rows that are no longer needed, a limited number at a time.

use diesel::sql_types::BigInt;
use kernel::StoreError;
use store_schema::types::{Instant, RowInstant};
use time::OffsetDateTime;

use super::parts::{self, Part, Work};
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
    /// Removes at most `most` rows and skips rows that another transaction has locked. Returns how many were
    /// removed.
    pub(super) async fn remove(
        &self,
        pool: &Pool,
        before: OffsetDateTime,
        most: u32,
    ) -> Result<u64, StoreError> {
        let (now, mut removed) = (RowInstant(before), 0_u64);
        let work = Work { table: self.table, condition: self.condition, order: self.order, now, most };
        for part in parts::with_work(pool, &work).await? {
            let left = u64::from(most).saturating_sub(removed);
            if left > 0 {
                let part = self.remove_part(pool, part, now, left).await?;
                removed = removed.saturating_add(part);
            }
        }
        Ok(removed)
    }

    async fn remove_part(
        &self,
        pool: &Pool,
        part: Part,
        before: RowInstant,
        most: u64,
    ) -> Result<u64, StoreError> {
        let Self { table, key, condition, order } = self;
        let (skip_locked, of_part) = (dialect::SKIP_LOCKED, part.condition("account_id"));
        let statement = format!(
            "WITH old AS MATERIALIZED (SELECT {key} FROM {table} WHERE {condition}{of_part} \
             ORDER BY {order} LIMIT $2{skip_locked}) \
             DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM old){of_part}"
        );
        let mut connection = pool.write().await?;
        let query = diesel::sql_query(statement)
            .bind::<Instant, _>(before)
            .bind::<BigInt, _>(i64::try_from(most).unwrap_or(i64::MAX));
        let removed = connection.execute(query).await?;
        let removed = u64::try_from(removed);
        removed.map_err(|source| StoreError::Failed(source.into()))
    }
}
