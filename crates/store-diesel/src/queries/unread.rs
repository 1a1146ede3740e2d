//! Unread messages, and which of them owners were mailed about.

use async_trait::async_trait;
use communications::{UnreadNotices, UnreadReads};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, SmallInt};
use diesel_async::RunQueryDsl;
use kernel::{AccountId, StoreError};
use mail::{OwnerNotice, SilencedNotices};
use time::OffsetDateTime;

use super::database::Database;
use super::dialect::Locked;
use super::unit_of_work::UnitOfWork;
use crate::rows::silenced_to_row;
use crate::schema::{messages, unread_notices};
use crate::types::{Instant, RowId, RowInstant, Uid};

#[derive(QueryableByName)]
struct AccountRow {
    #[diesel(sql_type = Uid)]
    account_id: RowId,
}

#[async_trait]
impl UnreadReads for Database {
    async fn untold_accounts(
        &self,
        until: OffsetDateTime,
        told_before: OffsetDateTime,
        most: u32,
    ) -> Result<Vec<AccountId>, StoreError> {
        let query = "SELECT m.account_id FROM messages AS m JOIN accounts AS a ON a.id = m.account_id \
             LEFT JOIN unread_notices AS n ON n.account_id = m.account_id \
             WHERE m.needs_reading AND m.state_at <= $1 AND (a.notices_off & $2) = 0 \
             AND NOT a.disabled_by_partner AND NOT a.disabled_by_operator \
             AND (n.told_until IS NULL OR (n.told_until <= $3 AND m.state_at > n.told_until)) \
             GROUP BY m.account_id ORDER BY m.account_id LIMIT $4";
        let kind = silenced_to_row(SilencedNotices::of([OwnerNotice::UnreadMessages]));
        let mut connection = self.pool.read().await?;
        let found = diesel::sql_query(query)
            .bind::<Instant, _>(RowInstant(until))
            .bind::<SmallInt, _>(kind)
            .bind::<Instant, _>(RowInstant(told_before))
            .bind::<BigInt, _>(i64::from(most))
            .load::<AccountRow>(connection.conn()?)
            .await;
        Ok(connection.settle(found)?.into_iter().map(|row| row.account_id.id()).collect())
    }
}

#[async_trait]
impl UnreadNotices for UnitOfWork<AccountId> {
    async fn lock_told(&mut self) -> Result<Option<OffsetDateTime>, StoreError> {
        let first = diesel::insert_into(unread_notices::table)
            .values(unread_notices::account_id.eq(self.account()))
            .on_conflict_do_nothing()
            .execute(self.tx.conn().await?)
            .await;
        self.tx.settle(first)?;
        let row = Locked(
            unread_notices::table
                .filter(unread_notices::account_id.eq(self.account()))
                .select(unread_notices::told_until),
        );
        let found = row.load::<Option<RowInstant>>(self.tx.conn().await?).await;
        Ok(self.tx.settle(found)?.pop().flatten().map(|told| told.0))
    }

    async fn put_told(&mut self, until: OffsetDateTime) -> Result<(), StoreError> {
        let updated = diesel::update(unread_notices::table)
            .filter(unread_notices::account_id.eq(self.account()))
            .set(unread_notices::told_until.eq(RowInstant(until)))
            .execute(self.tx.conn().await?)
            .await;
        self.tx.settle(updated).map(|_one| ())
    }

    async fn count_unread(
        &mut self,
        after: Option<OffsetDateTime>,
        until: OffsetDateTime,
    ) -> Result<u64, StoreError> {
        let mut unread = messages::table
            .filter(messages::account_id.eq(self.account()))
            .filter(messages::needs_reading.eq(true))
            .filter(messages::state_at.le(RowInstant(until)))
            .count()
            .into_boxed();
        if let Some(after) = after {
            unread = unread.filter(messages::state_at.gt(RowInstant(after)));
        }
        let count = unread.get_result::<i64>(self.tx.conn().await?).await;
        u64::try_from(self.tx.settle(count)?).map_err(|source| StoreError::Failed(source.into()))
    }
}
