//! The database's upkeep.

use async_trait::async_trait;
use diesel::dsl::{exists, sql};
use diesel::prelude::*;
use diesel::sql_types::{Bool, Integer};
use diesel_async::RunQueryDsl;
use kernel::StoreError;

use super::dialect::{self, Db};
use super::{Database, migrations};
use crate::ports::{Kind, MASTER_KEY_CHECK, Migrations, PoolStatus, Upkeep};
use crate::schema::{applied_migrations, partners, service_metadata as facts};

const PUBLIC_URL: &str = "public_url";

#[async_trait]
impl Upkeep for Database {
    async fn ping(&self) -> Result<(), StoreError> {
        let mut lease = self.pool.read_shared().await?;
        let pong = diesel::select(sql::<Integer>("1"))
            .get_result::<i32>(lease.conn()?)
            .await;
        lease.settle(pong).map(|_one| ())
    }

    async fn migrations(&self) -> Result<Migrations, StoreError> {
        // Runs on the thread of the health checks: takes no connection of a serving thread.
        let mut lease = self.pool.read_shared().await?;
        let has_begun = diesel::select(sql::<Bool>(migrations::HAS_BEGUN))
            .get_result::<bool>(lease.conn()?)
            .await;
        let applied = if lease.settle(has_begun)? {
            let applied = applied_migrations::table
                .order(applied_migrations::version)
                .select(applied_migrations::version)
                .load::<String>(lease.conn()?)
                .await;
            lease.settle(applied)?
        } else {
            Vec::new()
        };
        crate::migrations::sort::<Db>(&migrations::MIGRATIONS, applied).map_err(StoreError::Failed)
    }

    async fn migrate_up(&self) -> Result<Migrations, StoreError> {
        migrations::up(&self.pool).await?;
        self.migrations().await
    }

    async fn migrate_down(&self) -> Result<Migrations, StoreError> {
        migrations::down(&self.pool).await?;
        self.migrations().await
    }

    async fn has_partners(&self) -> Result<bool, StoreError> {
        let mut lease = self.pool.read().await?;
        let any = diesel::select(exists(partners::table.select(partners::id)))
            .get_result::<bool>(lease.conn()?)
            .await;
        lease.settle(any)
    }

    async fn master_key_check(&self) -> Result<Option<Vec<u8>>, StoreError> {
        let mut lease = self.pool.read().await?;
        let kept = facts::table
            .filter(facts::name.eq(MASTER_KEY_CHECK))
            .select(facts::value)
            .get_result::<Vec<u8>>(lease.conn()?)
            .await;
        lease.settle(kept.optional())
    }

    async fn keep_master_key_check(&self, check: &[u8]) -> Result<(), StoreError> {
        let mut lease = self.pool.write().await?;
        let kept = diesel::insert_into(facts::table)
            .values((facts::name.eq(MASTER_KEY_CHECK), facts::value.eq(check)))
            .on_conflict_do_nothing()
            .execute(lease.conn()?)
            .await;
        lease.settle(kept).map(|_count| ())
    }

    async fn replace_master_key_check(&self, old: &[u8], new: &[u8]) -> Result<(), StoreError> {
        let stands = facts::table
            .filter(facts::name.eq(MASTER_KEY_CHECK))
            .filter(facts::value.eq(old));
        let mut lease = self.pool.write().await?;
        let replaced = diesel::update(stands)
            .set(facts::value.eq(new))
            .execute(lease.conn()?)
            .await;
        lease.settle(replaced).map(|_count| ())
    }

    async fn note_public_url(&self, url: &str) -> Result<(), StoreError> {
        let mut lease = self.pool.write().await?;
        let noted = diesel::insert_into(facts::table)
            .values((facts::name.eq(PUBLIC_URL), facts::value.eq(url.as_bytes())))
            .on_conflict(facts::name)
            .do_update()
            .set(facts::value.eq(url.as_bytes()))
            .execute(lease.conn()?)
            .await;
        lease.settle(noted).map(|_count| ())
    }

    async fn noted_public_url(&self) -> Result<Option<String>, StoreError> {
        let mut lease = self.pool.read().await?;
        let noted = facts::table
            .filter(facts::name.eq(PUBLIC_URL))
            .select(facts::value)
            .get_result::<Vec<u8>>(lease.conn()?)
            .await;
        let noted = lease.settle(noted.optional())?;
        Ok(noted.and_then(|url| String::from_utf8(url).ok()))
    }

    fn kind(&self) -> Kind {
        dialect::KIND
    }

    fn pool_status(&self) -> PoolStatus {
        self.pool.status()
    }
}
