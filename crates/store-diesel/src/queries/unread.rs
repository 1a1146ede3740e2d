//! Unread messages, and which of them the owners were mailed about.

use async_trait::async_trait;
use communications::{UnreadNotices, UnreadReads};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, SmallInt};
use kernel::{AccountId, StoreError, StoreResult};
use mail::{OwnerNotice, SilencedNotices};
use store_schema::rows::silenced_to_row;
use store_schema::schema::{messages, unread_notices};
use store_schema::types::{Instant, RowId, RowInstant, Uid};
use time::OffsetDateTime;

use super::database::Database;
use super::run_statements::RunStatements as _;
use super::unit_of_work::UnitOfWork;
use crate::dialect::Locked;

#[derive(QueryableByName)]
struct AccountWithUnread {
    #[diesel(sql_type = Uid)]
    account_id: RowId,
}

#[async_trait]
impl UnreadReads for Database {
    async fn accounts_to_notify(
        &self,
        until: OffsetDateTime,
        notified_before: OffsetDateTime,
        limit: u32,
    ) -> StoreResult<Vec<AccountId>> {
        let query = "SELECT m.account_id FROM messages AS m JOIN accounts AS a ON a.id = m.account_id \
             LEFT JOIN unread_notices AS n ON n.account_id = m.account_id \
             WHERE m.is_unread AND m.state_at <= $1 AND (a.silenced_notices & $2) = 0 \
             AND NOT a.disabled_by_partner AND NOT a.disabled_by_operator \
             AND (n.notified_until IS NULL OR (n.notified_until <= $3 AND m.state_at > n.notified_until)) \
             GROUP BY m.account_id ORDER BY m.account_id LIMIT $4";
        let kind = silenced_to_row(SilencedNotices::of([OwnerNotice::UnreadMessages]));
        let mut connection = self.pool.read().await?;
        let statement = diesel::sql_query(query)
            .bind::<Instant, _>(RowInstant(until))
            .bind::<SmallInt, _>(kind)
            .bind::<Instant, _>(RowInstant(notified_before))
            .bind::<BigInt, _>(i64::from(limit));
        let found: Vec<AccountWithUnread> = connection.fetch_all(statement).await?;
        Ok(found.into_iter().map(|row| row.account_id.id()).collect())
    }
}

#[async_trait]
impl UnreadNotices for UnitOfWork<AccountId> {
    async fn lock_notified_until(&mut self) -> StoreResult<Option<OffsetDateTime>> {
        let statement = diesel::insert_into(unread_notices::table)
            .values(unread_notices::account_id.eq(self.account()))
            .on_conflict_do_nothing();
        self.tx.execute(statement).await?;
        let row = Locked(
            unread_notices::table
                .filter(unread_notices::account_id.eq(self.account()))
                .select(unread_notices::notified_until),
        );
        let found: Option<Option<RowInstant>> = self.tx.fetch_optional(row).await?;
        Ok(found.flatten().map(|until| until.0))
    }

    async fn put_notified_until(&mut self, until: OffsetDateTime) -> StoreResult<()> {
        let statement = diesel::update(unread_notices::table)
            .filter(unread_notices::account_id.eq(self.account()))
            .set(unread_notices::notified_until.eq(RowInstant(until)));
        self.tx.execute(statement).await?;
        Ok(())
    }

    async fn count_unread(
        &mut self,
        after: Option<OffsetDateTime>,
        until: OffsetDateTime,
    ) -> StoreResult<u64> {
        let mut unread = messages::table
            .filter(messages::account_id.eq(self.account()))
            .filter(messages::is_unread)
            .filter(messages::state_at.le(RowInstant(until)))
            .count()
            .into_boxed();
        if let Some(after) = after {
            unread = unread.filter(messages::state_at.gt(RowInstant(after)));
        }
        let count: i64 = self.tx.fetch_one(unread).await?;
        u64::try_from(count).map_err(|source| StoreError::Failed(source.into()))
    }
}
